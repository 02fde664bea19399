"""Compare an application's own forecasts with later measurements.

Forecasts are recorded and scored in `modeling.services.predictions`. Nothing is modelled here.
"""
