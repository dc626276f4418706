"""Who has solved a commonsense item has been shown its key: noted as any other exposure from now on."""

from django.db import migrations

SOLVED = """
INSERT INTO annotation_keyexposure (user_id, item_id, task, at)
SELECT review.reviewer_id, review.item_id, item.task, min(review.created_at)
FROM review_review AS review JOIN annotation_item AS item ON item.id = review.item_id
WHERE item.task <> 'moral'
GROUP BY review.reviewer_id, review.item_id, item.task
ON CONFLICT DO NOTHING;
INSERT INTO annotation_keyexposure (user_id, item_id, task, at)
SELECT practised.reviewer_id, gold.made_from_id, gold.task, min(practised.solved_at)
FROM review_goldplace AS practised JOIN review_golditem AS gold ON gold.id = practised.gold_id
WHERE gold.task <> 'moral' AND gold.made_from_id IS NOT NULL AND practised.solved_at IS NOT NULL
GROUP BY practised.reviewer_id, gold.made_from_id, gold.task
ON CONFLICT DO NOTHING;
INSERT INTO annotation_keyexposure (user_id, story_id, task, at)
SELECT review.reviewer_id, item.story_id, item.task, min(review.created_at)
FROM review_review AS review JOIN annotation_item AS item ON item.id = review.item_id
WHERE item.task = 'moral'
GROUP BY review.reviewer_id, item.story_id, item.task
ON CONFLICT DO NOTHING;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0011_contributors"), ("annotation", "0012_exposures")]
    operations = [migrations.RunSQL(SOLVED, migrations.RunSQL.noop)]
