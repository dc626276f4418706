"""What spans several apps and belongs to none: the sample, handing a leaver's work over, and the daily mail.

It writes by the other apps' services.
"""

from dashboard.services.handover import hand_over
from dashboard.services.mail import send_daily_mail
from dashboard.services.sample import Person, load_sample
from dashboard.services.sample_fill import fill_sample
from dashboard.services.sample_jobs import finish_jobs
from dashboard.services.sample_model import add_sample_model

__all__ = [
    "Person",
    "add_sample_model",
    "fill_sample",
    "finish_jobs",
    "hand_over",
    "load_sample",
    "send_daily_mail",
]
