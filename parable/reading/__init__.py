"""What models are asked about an item, and which option they chose in what they answered.

A release carries these modules, so that its programs read answers by the very rules that Parable reads them
by: they import Python and each other, relatively, and nothing else.
"""
