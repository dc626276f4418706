"""The one law, in the database: nobody judges an item after writing any revision of it.

It binds every author of a revision, contributors of its draft included; of a practice item it asks the
authors of the item that it was made from. Judging
(a review, a claim, a ruling) takes a share lock on the item and refuses an author; a new revision, or
a new author of one, takes the exclusive lock and closes that person's claims. So of two
transactions that race, the second waits for the first and then sees what it did. Reviews are never deleted.
"""

from django.db import migrations

LAW = """
CREATE FUNCTION parable_refuse_author(judged bigint, person bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = judged FOR SHARE;
    IF parable_is_author(judged, person) THEN
        RAISE EXCEPTION 'person % has written a revision of item % and may not judge it', person, judged
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_the_one_law';
    END IF;
END $$;

CREATE FUNCTION parable_source_of(item bigint, gold bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(item, (SELECT made_from_id FROM review_golditem WHERE id = gold))
$$;

CREATE FUNCTION parable_review_obeys_the_law() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    request review_reviewrequest%ROWTYPE;
BEGIN
    SELECT * INTO request FROM review_reviewrequest WHERE id = NEW.request_id;
    PERFORM parable_refuse_author(parable_source_of(NEW.item_id, request.gold_id), NEW.reviewer_id);
    IF request.revision_id IS DISTINCT FROM NEW.revision_id OR request.item_id IS DISTINCT FROM NEW.item_id
        OR request.stage <> NEW.stage
    THEN
        RAISE EXCEPTION 'review % speaks of another revision than its request', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_matches_its_place';
    END IF;
    NEW.project_id := request.project_id;
    RETURN NEW;
END $$;

CREATE TRIGGER the_one_law BEFORE INSERT OR UPDATE OF
    request_id, project_id, item_id, revision_id, stage, reviewer_id, answer, chosen_position, chosen_option_id,
    solved_at, rating, flaws, disposition, proposed_edit, judged_at
    ON review_review FOR EACH ROW EXECUTE FUNCTION parable_review_obeys_the_law();

CREATE FUNCTION parable_place_obeys_the_law() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.gold_id IS NULL AND NOT EXISTS (
        SELECT 1 FROM annotation_revision WHERE id = NEW.revision_id AND item_id = NEW.item_id
    ) THEN
        RAISE EXCEPTION 'request % names a revision of another item', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_place_matches_its_item';
    END IF;
    IF NEW.claimed_by_id IS NOT NULL THEN
        PERFORM parable_refuse_author(parable_source_of(NEW.item_id, NEW.gold_id), NEW.claimed_by_id);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER the_one_law BEFORE INSERT OR UPDATE OF item_id, revision_id, gold_id, claimed_by_id
    ON review_reviewrequest FOR EACH ROW EXECUTE FUNCTION parable_place_obeys_the_law();

-- Before the insert: its foreign key would take a weaker lock first, and two writers would then wait
-- for each other.
CREATE FUNCTION parable_revision_locks_its_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = NEW.item_id FOR UPDATE;
    RETURN NEW;
END $$;

CREATE TRIGGER locks_its_item BEFORE INSERT ON annotation_revision
    FOR EACH ROW EXECUTE FUNCTION parable_revision_locks_its_item();

-- Before the insert, as for a revision: a new author locks the item first.
CREATE FUNCTION parable_author_locks_the_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = NEW.item_id FOR UPDATE;
    RETURN NEW;
END $$;

CREATE TRIGGER locks_its_item BEFORE INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_locks_the_item();

CREATE FUNCTION parable_author_gives_up_claims() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    written bigint := NEW.item_id;
BEGIN
    UPDATE review_reviewrequest
        SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE item_id = written AND state = 'claimed' AND claimed_by_id = NEW.user_id;
    -- In order and without doubles: the same people, the same key.
    UPDATE review_reviewrequest
        SET excluded = ARRAY(SELECT DISTINCT person FROM unnest(excluded || NEW.user_id) AS person ORDER BY person)
        WHERE item_id = written AND state IN ('open', 'claimed') AND NOT excluded @> ARRAY[NEW.user_id];
    UPDATE review_reviewrequest
        SET state = 'closed', excluded = ARRAY[NEW.user_id],
            claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE dealt_to_id = NEW.user_id AND state <> 'done'
          AND gold_id IN (SELECT id FROM review_golditem WHERE made_from_id = written);
    RETURN NULL;
END $$;

CREATE TRIGGER the_one_law AFTER INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_gives_up_claims();

CREATE TRIGGER kept BEFORE DELETE ON review_review
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();

-- A blind answer is final, and what it marks lies in its text: the story's, or the item's narrative.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON review_answerspan
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON review_answerjudgement
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();

CREATE FUNCTION parable_answers_lie_in_their_text() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    outside record;
BEGIN
    SELECT added.review_id, added.text INTO outside
        FROM added
        JOIN review_review AS review ON review.id = added.review_id
        JOIN review_reviewrequest AS request ON request.id = review.request_id
        LEFT JOIN annotation_revision AS revision ON revision.id = review.revision_id
        LEFT JOIN review_golditem AS gold ON gold.id = request.gold_id
        JOIN corpus_storyrevision AS wording
            ON wording.id = coalesce(revision.story_revision_id, gold.story_revision_id)
        LEFT JOIN annotation_narrative AS narrative ON narrative.revision_id = revision.id
        WHERE parable_marks_outside(added.positions, length(CASE added.target
            WHEN 'narrative' THEN coalesce(narrative.text, gold.words #>> '{own,narrative}')
            ELSE wording.text
        END)) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'review % marks “%” outside its text', outside.review_id, outside.text
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_answer_lies_in_its_text';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER lie_in_their_text AFTER INSERT ON review_answerspan REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_answers_lie_in_their_text();

-- No verdict before its reviewer was shown the key: of a story's items that are answered together, too.
-- Whoever has been shown a key has a `KeyExposure`.
CREATE FUNCTION parable_verdict_follows_the_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    request review_reviewrequest%ROWTYPE;
    source bigint;
BEGIN
    SELECT * INTO request FROM review_reviewrequest WHERE id = NEW.request_id;
    source := parable_source_of(NEW.item_id, request.gold_id); -- once, not for each key that was ever shown
    IF NOT EXISTS (
        SELECT 1 FROM annotation_keyexposure AS seen
        WHERE seen.user_id = NEW.reviewer_id AND seen.item_id = source
    ) AND NOT EXISTS (
        SELECT 1 FROM annotation_keyexposure AS seen
        WHERE seen.user_id = NEW.reviewer_id AND seen.story_id = request.story_id AND seen.task = request.task
    ) AND NOT EXISTS (
        SELECT 1 FROM corpus_story AS worded JOIN corpus_story AS other ON other.group_id = worded.group_id
        JOIN annotation_keyexposure AS seen ON seen.story_id = other.id
        WHERE worded.id = request.story_id AND seen.user_id = NEW.reviewer_id AND seen.task = request.task
    ) THEN
        RAISE EXCEPTION 'review % is judged before its reviewer was shown the key', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'review_verdict_after_the_key';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER verdict_after_the_key BEFORE UPDATE OF sent_at, judged_at ON review_review
    FOR EACH ROW WHEN (
        NEW.solved_at IS NOT NULL AND OLD.sent_at IS NULL AND OLD.judged_at IS NULL
        AND (NEW.sent_at IS NOT NULL OR NEW.judged_at IS NOT NULL)
    ) EXECUTE FUNCTION parable_verdict_follows_the_key();
"""

UNDO = """
DROP TRIGGER verdict_after_the_key ON review_review;
DROP FUNCTION parable_verdict_follows_the_key();
DROP TRIGGER lie_in_their_text ON review_answerspan;
DROP FUNCTION parable_answers_lie_in_their_text();
DROP TRIGGER immutable ON review_answerjudgement;
DROP TRIGGER immutable ON review_answerspan;
DROP TRIGGER kept ON review_review;
DROP TRIGGER the_one_law ON annotation_revisionauthor;
DROP TRIGGER locks_its_item ON annotation_revisionauthor;
DROP TRIGGER locks_its_item ON annotation_revision;
DROP TRIGGER the_one_law ON review_reviewrequest;
DROP TRIGGER the_one_law ON review_review;
DROP FUNCTION parable_author_gives_up_claims();
DROP FUNCTION parable_author_locks_the_item();
DROP FUNCTION parable_revision_locks_its_item();
DROP FUNCTION parable_place_obeys_the_law();
DROP FUNCTION parable_review_obeys_the_law();
DROP FUNCTION parable_source_of(bigint, bigint);
DROP FUNCTION parable_refuse_author(bigint, bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial"), ("annotation", "0002_rules")]
    operations = [migrations.RunSQL(LAW, UNDO)]
