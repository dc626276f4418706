"""Who wrote the words of a draft becomes an author of the revision made from it. Held by triggers.

- Whoever changes a draft's words is a contributor; a draft that carries on another's words carries its
  contributors on: one of the same client id in other hands, and one of an item that has no revision yet.
- A revision has its own author and every contributor of the draft it was submitted from as authors.
- Neither is ever changed; a contributor goes only together with the draft.
"""

from django.db import migrations

BEFORE = """
INSERT INTO annotation_revisionauthor (revision_id, user_id) SELECT id, author_id FROM annotation_revision;
INSERT INTO annotation_draftcontributor (draft_id, user_id) SELECT id, writer_id FROM annotation_itemdraft;
INSERT INTO annotation_draftcontributor (draft_id, user_id)
    SELECT draft.id, passed.leaver_id FROM annotation_handover AS passed
    CROSS JOIN LATERAL jsonb_array_elements_text(passed.moved -> 'drafts') AS moved
    JOIN annotation_itemdraft AS draft ON draft.id = moved::bigint
    WHERE draft.submitted_as_id IS NULL
    ON CONFLICT DO NOTHING;
INSERT INTO annotation_draftcontributor (draft_id, user_id)
    SELECT draft.id, (taken.detail ->> 'from')::bigint FROM accounts_auditevent AS taken
    JOIN annotation_itemdraft AS draft ON draft.item_id = taken.subject_id
    WHERE taken.verb = 'take_over_item' AND draft.submitted_as_id IS NULL
    ON CONFLICT DO NOTHING;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""

AUTHORS = """
CREATE FUNCTION parable_authors_of(written bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT author.user_id FROM annotation_revision AS revision
    JOIN annotation_revisionauthor AS author ON author.revision_id = revision.id
    WHERE revision.item_id = written
$$;

CREATE FUNCTION parable_is_author(written bigint, person bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM parable_authors_of(written) AS author WHERE author = person)
$$;

CREATE FUNCTION parable_revision_has_its_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotation_revisionauthor (revision_id, user_id) VALUES (NEW.id, NEW.author_id)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER has_its_author AFTER INSERT ON annotation_revision
    FOR EACH ROW EXECUTE FUNCTION parable_revision_has_its_author();

CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
"""

CONTRIBUTORS = """
CREATE FUNCTION parable_draft_has_contributors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    carried bigint[];
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.content IS NOT DISTINCT FROM OLD.content THEN
            RETURN NULL;
        END IF;
    ELSE
        carried := ARRAY(
            SELECT id FROM annotation_itemdraft
            WHERE client_id = NEW.client_id AND project_id = NEW.project_id AND id <> NEW.id
            UNION
            SELECT id FROM annotation_itemdraft
            WHERE item_id = NEW.item_id AND id <> NEW.id
              AND NOT EXISTS (SELECT 1 FROM annotation_revision WHERE item_id = NEW.item_id)
        );
        INSERT INTO annotation_draftcontributor (draft_id, user_id)
            SELECT DISTINCT NEW.id, user_id FROM annotation_draftcontributor WHERE draft_id = ANY(carried)
            ON CONFLICT DO NOTHING;
        IF EXISTS (
            SELECT 1 FROM annotation_itemdraft WHERE id = ANY(carried) AND content = NEW.content
        ) THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO annotation_draftcontributor (draft_id, user_id) VALUES (NEW.id, NEW.writer_id)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER has_contributors AFTER INSERT OR UPDATE OF content ON annotation_itemdraft
    FOR EACH ROW EXECUTE FUNCTION parable_draft_has_contributors();

CREATE FUNCTION parable_contributors_become_authors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotation_revisionauthor (revision_id, user_id)
        SELECT NEW.submitted_as_id, user_id FROM annotation_draftcontributor WHERE draft_id = NEW.id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- In the order of their names: who inserts a draft that is submitted already is its contributor by then.
CREATE TRIGGER makes_authors AFTER INSERT OR UPDATE OF submitted_as_id ON annotation_itemdraft
    FOR EACH ROW WHEN (NEW.submitted_as_id IS NOT NULL)
    EXECUTE FUNCTION parable_contributors_become_authors();

CREATE TRIGGER immutable BEFORE UPDATE ON annotation_draftcontributor
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();

CREATE FUNCTION parable_contributor_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM annotation_itemdraft WHERE id = OLD.draft_id) THEN
        RAISE EXCEPTION 'person % has written words of draft %', OLD.user_id, OLD.draft_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'annotation_contributor_stays';
    END IF;
    RETURN NULL;
END $$;

-- Deferred, because a draft that is deleted for good takes its contributors along, and they go first.
CREATE CONSTRAINT TRIGGER stays AFTER DELETE ON annotation_draftcontributor DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION parable_contributor_stays();
"""

UNDO = """
DROP TRIGGER stays ON annotation_draftcontributor;
DROP TRIGGER immutable ON annotation_draftcontributor;
DROP TRIGGER makes_authors ON annotation_itemdraft;
DROP TRIGGER has_contributors ON annotation_itemdraft;
DROP TRIGGER immutable ON annotation_revisionauthor;
DROP TRIGGER has_its_author ON annotation_revision;
DROP FUNCTION parable_contributor_stays();
DROP FUNCTION parable_contributors_become_authors();
DROP FUNCTION parable_draft_has_contributors();
DROP FUNCTION parable_revision_has_its_author();
DROP FUNCTION parable_is_author(bigint, bigint);
DROP FUNCTION parable_authors_of(bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_contributors"), ("accounts", "0002_rules")]
    operations = [
        migrations.RunSQL(BEFORE, migrations.RunSQL.noop),
        migrations.RunSQL(AUTHORS + CONTRIBUTORS, UNDO),
    ]
