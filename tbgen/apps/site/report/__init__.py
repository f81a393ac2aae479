"""Report: records as pages to look at, and what they say of drawn endings and of mating potential.

What needs the extra `report` (jinja2) imports it when it is called: `extra.py`.
"""
