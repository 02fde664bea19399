"""Files of any program: tables as CSV or JSON, and texts with names and values. They are tried last."""
