"""The one law binds every author of a revision, contributors of its draft included, and practice items too."""

from django.db import migrations

LAW = """
CREATE OR REPLACE FUNCTION parable_refuse_author(judged bigint, person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = judged FOR SHARE;
    IF parable_is_author(judged, person) THEN
        RAISE EXCEPTION 'person % has written a revision of item % and may not judge it', person, judged
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_the_one_law';
    END IF;
END $$;

DROP TRIGGER the_one_law ON annotation_revision;

-- Before the insert, as for a revision: whoever becomes an author locks the item first.
CREATE FUNCTION parable_author_locks_the_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item
        WHERE id = (SELECT item_id FROM annotation_revision WHERE id = NEW.revision_id) FOR UPDATE;
    RETURN NEW;
END $$;

CREATE TRIGGER locks_its_item BEFORE INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_locks_the_item();

CREATE OR REPLACE FUNCTION parable_author_gives_up_claims() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    written bigint;
BEGIN
    SELECT item_id INTO written FROM annotation_revision WHERE id = NEW.revision_id;
    UPDATE review_reviewrequest
        SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE item_id = written AND state = 'claimed' AND claimed_by_id = NEW.user_id;
    UPDATE review_reviewrequest
        SET barred = ARRAY(SELECT DISTINCT person FROM unnest(barred || NEW.user_id) AS person ORDER BY person)
        WHERE item_id = written AND state IN ('open', 'claimed') AND NOT barred @> ARRAY[NEW.user_id];
    -- A verdict that is being sent at this moment holds its row; it waits for the item and is refused.
    UPDATE review_goldplace SET skipped_at = now(), sent_at = NULL
        WHERE id IN (
            SELECT place.id FROM review_goldplace AS place JOIN review_golditem AS gold ON gold.id = place.gold_id
            WHERE gold.made_from_id = written AND place.reviewer_id = NEW.user_id
              AND place.judged_at IS NULL AND place.skipped_at IS NULL
            FOR UPDATE OF place SKIP LOCKED
        );
    RETURN NULL;
END $$;

CREATE TRIGGER the_one_law AFTER INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_gives_up_claims();

CREATE FUNCTION parable_practice_obeys_the_law() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    source bigint;
BEGIN
    SELECT made_from_id INTO source FROM review_golditem WHERE id = NEW.gold_id;
    IF source IS NOT NULL THEN
        PERFORM parable_refuse_author(source, NEW.reviewer_id);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER the_one_law BEFORE INSERT OR UPDATE OF
    gold_id, reviewer_id, drawn_order, answer, chosen_position, several_positions, solved_at, rating, flaws,
    disposition, proposed_edit, judged_at
    ON review_goldplace FOR EACH ROW EXECUTE FUNCTION parable_practice_obeys_the_law();
"""

UNDO = """
DROP TRIGGER the_one_law ON review_goldplace;
DROP FUNCTION parable_practice_obeys_the_law();
DROP TRIGGER the_one_law ON annotation_revisionauthor;
DROP TRIGGER locks_its_item ON annotation_revisionauthor;
DROP FUNCTION parable_author_locks_the_item();

CREATE OR REPLACE FUNCTION parable_author_gives_up_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE review_reviewrequest
        SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE item_id = NEW.item_id AND state = 'claimed' AND claimed_by_id = NEW.author_id;
    UPDATE review_reviewrequest
        SET barred = ARRAY(SELECT DISTINCT person FROM unnest(barred || NEW.author_id) AS person ORDER BY person)
        WHERE item_id = NEW.item_id AND state IN ('open', 'claimed') AND NOT barred @> ARRAY[NEW.author_id];
    RETURN NULL;
END $$;

CREATE TRIGGER the_one_law AFTER INSERT ON annotation_revision
    FOR EACH ROW EXECUTE FUNCTION parable_author_gives_up_claims();

CREATE OR REPLACE FUNCTION parable_refuse_author(judged bigint, person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = judged FOR SHARE;
    IF EXISTS (SELECT 1 FROM annotation_revision WHERE item_id = judged AND author_id = person) THEN
        RAISE EXCEPTION 'person % has written a revision of item % and may not judge it', person, judged
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_the_one_law';
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0010_practice_edit"), ("annotation", "0011_contributor_rules")]
    operations = [migrations.RunSQL(LAW, UNDO)]
