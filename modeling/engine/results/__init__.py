"""The results of modelers: models, their segments and their posteriors."""
