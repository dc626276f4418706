"""What spans several apps and belongs to none: the sample, and handing a leaver's work over.

It writes by the other apps' services.
"""

from dashboard.services.handover import hand_over
from dashboard.services.sample import Person, load_sample
from dashboard.services.sample_model import add_sample_model

__all__ = ["Person", "add_sample_model", "hand_over", "load_sample"]
