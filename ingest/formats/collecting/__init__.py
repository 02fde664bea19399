"""Makes a campaign of the values, results and metadata that a reader finds, and one campaign of several."""
