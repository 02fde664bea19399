"""Compare an application's own forecasts with later measurements."""
