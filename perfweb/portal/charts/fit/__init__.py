"""The kernel's main chart: measured values, law, interval, extrapolation and target, with residuals below.

`scene` describes the content of the chart, which `perfweb.portal.kernel` chooses; `traces` and `notes` draw
it.
"""
