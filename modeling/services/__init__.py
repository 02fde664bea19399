"""What writes models: runs, predictions at the target, forecasts' scores, comparisons."""
