"""Services that span several apps (sample, handovers, daily mail, bulk actions), and saved views.

Rows of other apps are written by their services.
"""

from dashboard.services.bulk import carry_out_bulk, close_bulk, order_bulk, undo_bulk
from dashboard.services.handover import hand_over
from dashboard.services.item import send_back_item, undo_move
from dashboard.services.kinds_sample import load_kinds
from dashboard.services.mail import send_daily_mail
from dashboard.services.sample import Person, load_sample
from dashboard.services.sample_fill import fill_sample
from dashboard.services.sample_jobs import finish_jobs
from dashboard.services.sample_model import add_sample_model
from dashboard.services.view import delete_view, forget_views, save_view

__all__ = [
    "Person",
    "add_sample_model",
    "carry_out_bulk",
    "close_bulk",
    "delete_view",
    "fill_sample",
    "finish_jobs",
    "forget_views",
    "hand_over",
    "load_kinds",
    "load_sample",
    "order_bulk",
    "save_view",
    "send_back_item",
    "send_daily_mail",
    "undo_bulk",
    "undo_move",
]
