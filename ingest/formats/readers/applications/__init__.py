"""Applications that print the time of a run: chemistry, fluids, weather and climate."""
