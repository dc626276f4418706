"""Items go back to review when a verdict that brought them on is set aside, and that move can be undone."""

from importlib import import_module

from django.db import migrations, models

FORMER = import_module("annotation.migrations.0004_by_statement")
RULES = FORMER.FORMER_RULES.CHAIN
BEGIN, END = (RULES.index(f"CREATE FUNCTION {name}(") for name in ("parable_move_exists", "parable_transition_follows"))
FORMER_MOVES = RULES[BEGIN:END].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
LAST_OF_FORMER = "('verified', 'in_review'), ('verified', 'retired')"
MOVES = FORMER_MOVES.replace(
    LAST_OF_FORMER,
    f"""{LAST_OF_FORMER},
        ('in_verification', 'in_review'), ('in_adjudication', 'in_review'), ('rejected', 'in_review')""",
)

FORMER_FOLLOWS = FORMER._changed(RULES, "parable_transition_follows", FORMER.BY_ID, FORMER.BY_ITEM)
TAKEN_BACK = "('in_review', 'verified'), ('retired', 'verified'),"
FOLLOWS = FORMER_FOLLOWS.replace(
    TAKEN_BACK,
    f"""{TAKEN_BACK}
                ('in_review', 'in_verification'), ('in_review', 'in_adjudication'), ('in_review', 'rejected'),""",
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_file_audit")]
    operations = [
        migrations.RunSQL(MOVES, FORMER_MOVES),
        migrations.RunSQL(FOLLOWS, FORMER_FOLLOWS),
        migrations.AlterField(
            "transition",
            "cause",
            models.CharField(
                max_length=30,
                choices=[
                    ("written", "submitted by the writer"),
                    ("revised", "revised by the writer"),
                    ("imported", "imported"),
                    ("reworded_by_import", "changed by an import"),
                    ("withdrawn", "withdrawn"),
                    ("retired", "retired"),
                    ("another_look", "sent for re-review"),
                    ("set_aside", "sent for re-review: a verdict was set aside"),
                    ("sent_back", "returned by a manager"),
                    ("taken_back", "bulk action undone"),
                    ("contested", "rejection contested by the writer"),
                    ("contested_edit", "reviewer's edit contested by the writer"),
                    ("wrong_blind_answer", "a blind answer differed from the key"),
                    ("all_reject", "rejected in review"),
                    ("all_return", "returned to the writer"),
                    ("all_pass", "passed in review"),
                    ("below_pass_rating", "a rating was below the pass mark"),
                    ("edit_adopted", "a reviewer's edit was adopted"),
                    ("split", "the reviewers disagreed"),
                    ("verifier_pass", "confirmed in verification"),
                    ("verifier_reject", "rejected in verification"),
                    ("verifier_return", "returned in verification"),
                    ("ruled_merge", "adjudicated: answers merged"),
                    ("ruled_pass", "adjudicated: upheld"),
                    ("ruled_send_on", "adjudicated: sent to verification"),
                    ("ruled_return", "adjudicated: returned to the writer"),
                    ("ruled_reject", "adjudicated: rejected"),
                ],
            ),
        ),
    ]
