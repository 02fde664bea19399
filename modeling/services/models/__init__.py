"""Write models: runs of modelers over campaigns, the portions of runs, and the stability of laws."""
