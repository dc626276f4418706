"""A new author gives up their claims by statement, not by row: an import of many pays once."""

from importlib import import_module

from django.db import migrations

FORMER = import_module("review.migrations.0002_rules").LAW
BEGIN = FORMER.index("CREATE FUNCTION parable_author_gives_up_claims")
FORMER_CLAIMS = FORMER[BEGIN : FORMER.index("END $$;", BEGIN) + len("END $$;")]

# By an array of items: the plan is the same for one author and for thousands, and for tables that grow meanwhile.
CLAIMS = """
DROP TRIGGER the_one_law ON annotation_revisionauthor;

CREATE OR REPLACE FUNCTION parable_author_gives_up_claims() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT item_id FROM added);
BEGIN
    UPDATE review_reviewrequest AS request
        SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE item_id = ANY(written) AND state = 'claimed' AND EXISTS (
            SELECT 1 FROM added WHERE added.item_id = request.item_id AND added.user_id = request.claimed_by_id
        );
    -- In order and without doubles: the same people, the same key.
    UPDATE review_reviewrequest AS request
        SET excluded = ARRAY(
            SELECT unnest(request.excluded) UNION SELECT user_id FROM added WHERE item_id = request.item_id
            ORDER BY 1
        )
        WHERE item_id = ANY(written) AND state IN ('open', 'claimed') AND NOT excluded @> ARRAY(
            SELECT user_id FROM added WHERE item_id = request.item_id
        );
    UPDATE review_reviewrequest AS request
        SET state = 'closed', excluded = ARRAY[dealt_to_id],
            claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE gold_id = ANY(ARRAY(SELECT id FROM review_golditem WHERE made_from_id = ANY(written)))
          AND state <> 'done' AND EXISTS (
            SELECT 1 FROM added JOIN review_golditem AS gold ON gold.made_from_id = added.item_id
            WHERE gold.id = request.gold_id AND added.user_id = request.dealt_to_id
        );
    RETURN NULL;
END $$;

CREATE TRIGGER the_one_law AFTER INSERT ON annotation_revisionauthor REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_author_gives_up_claims();
"""

BY_ROW = f"""
DROP TRIGGER the_one_law ON annotation_revisionauthor;

{FORMER_CLAIMS.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")}

CREATE TRIGGER the_one_law AFTER INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_gives_up_claims();
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0002_rules"), ("annotation", "0003_search")]
    operations = [migrations.RunSQL(CLAIMS, BY_ROW)]
