"""What the database itself refuses about items, whoever asks and however.

- Revisions, their options, marks, judgements, narratives and types, and transitions never change.
- A revision has 2 to 26 options and, where the task wants one, a type. Of its options exactly one is the key; of
  several answers one or more, and in items that were written here not all; of an ordering none, but each has a
  place of its own in the right order. Of a task whose answer is marked or judged it has marks, a judgement or a
  narrative, and no options.
- A marked position lies in its text.
- A transition must be a move of the lifecycle and must start where the last one ended; an item's
  state is where its last transition ended.
- The writers of a story are counted with its assignments, in the same transaction.
- Whoever changes a draft's words is a contributor; a draft that carries on another's words carries its
  contributors on: one of the same client id in other hands, and one of an item that has no revision yet.
- A revision has its own author and every contributor of the draft it was submitted from as authors.
  Neither is ever changed; a contributor goes only together with the draft.
- Items, comments, exposures and hand-overs are never deleted.
"""

from django.db import migrations

IMMUTABLE_TABLES = (
    "revision", "option", "revisiontype", "transition", "span", "scenejudgement", "narrative",
)

IMMUTABLE = "\n".join(
    f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON annotation_{table}"
    " FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();"
    for table in IMMUTABLE_TABLES
)
MUTABLE = "\n".join(f"DROP TRIGGER immutable ON annotation_{table};" for table in IMMUTABLE_TABLES)

# Deferred, because a revision is inserted before its options and types.
WHOLE = """
CREATE FUNCTION parable_answered_by(task text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN task IN ('anomaly_spans', 'step_tuples') THEN 'marks'
        WHEN task = 'scene_pairs' THEN 'judgement'
        WHEN task = 'proverb_narratives' THEN 'narrative'
        WHEN task IN ('commonsense', 'moral', 'true_false', 'cloze', 'multiple', 'ordering') THEN 'options'
        ELSE 'either'
    END
$$;

CREATE FUNCTION parable_check_own_answer(checked bigint, answered text, options integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF options > 0 THEN
        RAISE EXCEPTION 'revision % has options, its task has none', checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_task_without_options';
    END IF;
    IF NOT (CASE answered
        WHEN 'marks' THEN EXISTS (
            SELECT 1 FROM annotation_span WHERE revision_id = checked AND layer = 'answer'
        )
        WHEN 'judgement' THEN EXISTS (SELECT 1 FROM annotation_scenejudgement WHERE revision_id = checked)
        WHEN 'own' THEN EXISTS (SELECT 1 FROM annotation_span WHERE revision_id = checked)
            OR EXISTS (SELECT 1 FROM annotation_scenejudgement WHERE revision_id = checked)
            OR EXISTS (SELECT 1 FROM annotation_narrative WHERE revision_id = checked)
        ELSE EXISTS (SELECT 1 FROM annotation_narrative WHERE revision_id = checked)
    END) THEN
        RAISE EXCEPTION 'revision % has no % of its own', checked, answered
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_has_its_answer';
    END IF;
END $$;

CREATE FUNCTION parable_check_order(
    checked bigint, options integer, keys integer, ranked integer, first_rank integer, last_rank integer
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF keys > 0 THEN
        RAISE EXCEPTION 'revision % has % keys, an ordering has none', checked, keys
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_order_has_no_key';
    END IF;
    IF ranked <> options OR first_rank <> 1 OR last_rank <> options THEN
        RAISE EXCEPTION 'the places of revision % are no order from 1 to %', checked, options
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_ranks_are_an_order';
    END IF;
END $$;

CREATE FUNCTION parable_check_keys(
    checked bigint, asked text, imported boolean, options integer, keys integer, ranked integer
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF ranked > 0 THEN
        RAISE EXCEPTION 'options of revision % have places in an order that nobody asks for', checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_ranks_are_an_order';
    END IF;
    IF keys = 0 THEN
        RAISE EXCEPTION 'revision % has no key, it needs exactly one, or one or more of several', checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_exactly_one_key';
    END IF;
    IF asked = 'multiple' AND keys = options AND NOT imported THEN
        RAISE EXCEPTION 'all % options of revision % are keys', options, checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_not_all_keys';
    END IF;
    IF asked <> 'multiple' AND keys > 1 THEN
        RAISE EXCEPTION 'revision % has % keys against annotation_one_key', checked, keys
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_one_key';
    END IF;
END $$;

CREATE FUNCTION parable_check_revision(checked bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    asked text;
    imported boolean;
    options integer;
    keys integer;
    ranked integer;
    last_rank integer;
    first_rank integer;
    answered text;
BEGIN
    SELECT item.task, item.ref <> '' INTO asked, imported
        FROM annotation_revision revision JOIN annotation_item item ON item.id = revision.item_id
        WHERE revision.id = checked;
    SELECT count(*), count(*) FILTER (WHERE is_key), count(DISTINCT rank), min(rank), max(rank)
        INTO options, keys, ranked, first_rank, last_rank
        FROM annotation_option WHERE revision_id = checked;
    answered := parable_answered_by(asked);
    IF answered = 'either' THEN  -- a kind that has no rule of its own here
        answered := CASE WHEN options > 0 THEN 'options' ELSE 'own' END;
    END IF;
    IF answered <> 'options' THEN
        PERFORM parable_check_own_answer(checked, answered, options);
        RETURN;
    END IF;
    IF asked = 'ordering' THEN
        PERFORM parable_check_order(checked, options, keys, ranked, first_rank, last_rank);
    ELSE
        PERFORM parable_check_keys(checked, asked, imported, options, keys, ranked);
    END IF;
    IF options < 2 OR options > 26 THEN
        RAISE EXCEPTION 'revision % has % options, it needs 2 to 26', checked, options
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_two_to_26_options';
    END IF;
    IF asked = 'commonsense' AND NOT EXISTS (SELECT 1 FROM annotation_revisiontype WHERE revision_id = checked) THEN
        RAISE EXCEPTION 'revision % has no commonsense type', checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_commonsense_has_a_type';
    END IF;
END $$;

CREATE FUNCTION parable_revision_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_check_revision(NEW.id);
    RETURN NULL;
END $$;

CREATE FUNCTION parable_option_keeps_revision_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_check_revision(NEW.revision_id);
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON annotation_revision DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION parable_revision_is_whole();

-- An option that comes later than its revision is caught as well.
CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON annotation_option DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION parable_option_keeps_revision_whole();
"""

# By statement, so that an import of many pays once. `target` names the text: the story, or a narrative.
MARKED = """
CREATE FUNCTION parable_marks_outside(positions integer[], characters integer) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM unnest(positions) AS position WHERE position < 0 OR position >= coalesce(characters, 0)
    )
$$;

-- A look-up by key for each mark: a join of all would be planned by tables that have no statistics yet.
CREATE FUNCTION parable_marked_characters(marked bigint, target text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    IF target = 'narrative' THEN
        RETURN (SELECT length(text) FROM annotation_narrative WHERE revision_id = marked);
    END IF;
    RETURN (
        SELECT length(text) FROM corpus_storyrevision
        WHERE id = (SELECT story_revision_id FROM annotation_revision WHERE id = marked)
    );
END $$;

CREATE FUNCTION parable_spans_lie_in_their_text() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    outside record;
BEGIN
    SELECT added.revision_id, added.text INTO outside
        FROM added
        WHERE parable_marks_outside(
            added.positions, parable_marked_characters(added.revision_id, added.target)
        ) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'revision % marks “%” outside its text', outside.revision_id, outside.text
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_span_lies_in_its_text';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER lie_in_their_text AFTER INSERT ON annotation_span REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_spans_lie_in_their_text();
"""

UNMARKED = """
DROP TRIGGER lie_in_their_text ON annotation_span;
DROP FUNCTION parable_spans_lie_in_their_text();
DROP FUNCTION parable_marked_characters(bigint, text);
DROP FUNCTION parable_marks_outside(integer[], integer);
"""

# The moves stand here as they stood when this was written; a test compares them with the lifecycle.
CHAIN = """
CREATE FUNCTION parable_move_exists(from_state text, to_state text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT (from_state, to_state) IN (
        ('', 'draft'), ('', 'in_review'), ('', 'verified'),
        ('draft', 'in_review'), ('draft', 'withdrawn'),
        ('in_review', 'in_verification'), ('in_review', 'in_adjudication'), ('in_review', 'returned'),
        ('in_review', 'rejected'), ('in_review', 'withdrawn'), ('in_review', 'in_review'),
        ('returned', 'in_review'), ('returned', 'withdrawn'),
        ('in_verification', 'verified'), ('in_verification', 'in_adjudication'),
        ('in_verification', 'returned'), ('in_verification', 'rejected'),
        ('in_adjudication', 'in_verification'), ('in_adjudication', 'verified'),
        ('in_adjudication', 'returned'), ('in_adjudication', 'rejected'),
        ('rejected', 'in_adjudication'),
        ('verified', 'in_review'), ('verified', 'retired')
    )
$$;

CREATE FUNCTION parable_transition_follows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands_at text;
    came_from text;
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = NEW.item_id FOR UPDATE;
    SELECT to_state, from_state INTO stands_at, came_from FROM annotation_transition
        WHERE item_id = NEW.item_id ORDER BY id DESC LIMIT 1;
    IF coalesce(stands_at, '') <> NEW.from_state THEN
        RAISE EXCEPTION 'item % stands at %, not at %', NEW.item_id, coalesce(stands_at, ''), NEW.from_state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_transition_follows';
    END IF;
    -- What a manager did to many at once may be taken back, as long as it was the last move.
    IF NOT parable_move_exists(NEW.from_state, NEW.to_state)
        AND NOT (NEW.cause = 'taken_back' AND came_from = NEW.to_state
            AND (NEW.from_state, NEW.to_state) IN (
                ('in_review', 'verified'), ('retired', 'verified'),
                ('returned', 'in_review'), ('returned', 'in_verification'), ('returned', 'in_adjudication')
            )) THEN
        RAISE EXCEPTION 'there is no move from % to %', NEW.from_state, NEW.to_state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_move_exists';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER follows BEFORE INSERT ON annotation_transition
    FOR EACH ROW EXECUTE FUNCTION parable_transition_follows();

CREATE FUNCTION parable_state_is_last_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands_at text;
    last_move text;
BEGIN
    SELECT state INTO stands_at FROM annotation_item WHERE id = NEW.id;
    SELECT to_state INTO last_move FROM annotation_transition
        WHERE item_id = NEW.id ORDER BY id DESC LIMIT 1;
    IF stands_at IS NOT NULL AND stands_at IS DISTINCT FROM last_move THEN
        RAISE EXCEPTION 'item % is said to be %, but its last transition went to %',
            NEW.id, stands_at, last_move
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_state_is_last_transition';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER state_is_last_transition AFTER INSERT OR UPDATE OF state ON annotation_item
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION parable_state_is_last_transition();
"""

# Stories get their row as they come, by statement, so that an import of many pays once.
COUNT = """
CREATE FUNCTION parable_story_gets_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotation_writingplaces (story_id, project_id, writers)
        SELECT id, project_id, 0 FROM added;
    RETURN NULL;
END $$;

CREATE TRIGGER gets_places AFTER INSERT ON corpus_story REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_story_gets_places();

CREATE FUNCTION parable_count_writers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.given_back_at IS NULL THEN
        UPDATE annotation_writingplaces SET writers = writers - 1 WHERE story_id = OLD.story_id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.given_back_at IS NULL THEN
        UPDATE annotation_writingplaces SET writers = writers + 1 WHERE story_id = NEW.story_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER count_writers AFTER INSERT OR DELETE OR UPDATE OF given_back_at, story_id
    ON annotation_writingassignment FOR EACH ROW EXECUTE FUNCTION parable_count_writers();
"""

UNCOUNT = """
DROP TRIGGER count_writers ON annotation_writingassignment;
DROP TRIGGER gets_places ON corpus_story;
DROP FUNCTION parable_count_writers();
DROP FUNCTION parable_story_gets_places();
"""

AUTHORS = """
CREATE FUNCTION parable_authors_of(written bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT user_id FROM annotation_revisionauthor WHERE item_id = written
$$;

CREATE FUNCTION parable_is_author(written bigint, person bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM annotation_revisionauthor WHERE item_id = written AND user_id = person)
$$;

CREATE FUNCTION parable_author_has_the_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT item_id INTO NEW.item_id FROM annotation_revision WHERE id = NEW.revision_id;
    RETURN NEW;
END $$;

-- First by name: what comes after it asks for the item.
CREATE TRIGGER has_the_item BEFORE INSERT ON annotation_revisionauthor
    FOR EACH ROW EXECUTE FUNCTION parable_author_has_the_item();

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

NO_AUTHORS = """
DROP TRIGGER stays ON annotation_draftcontributor;
DROP TRIGGER immutable ON annotation_draftcontributor;
DROP TRIGGER makes_authors ON annotation_itemdraft;
DROP TRIGGER has_contributors ON annotation_itemdraft;
DROP TRIGGER immutable ON annotation_revisionauthor;
DROP TRIGGER has_the_item ON annotation_revisionauthor;
DROP TRIGGER has_its_author ON annotation_revision;
DROP FUNCTION parable_author_has_the_item();
DROP FUNCTION parable_contributor_stays();
DROP FUNCTION parable_contributors_become_authors();
DROP FUNCTION parable_draft_has_contributors();
DROP FUNCTION parable_revision_has_its_author();
DROP FUNCTION parable_is_author(bigint, bigint);
DROP FUNCTION parable_authors_of(bigint);
"""

KEPT_TABLES = ("item", "comment", "keyexposure", "handover")

KEPT = "\n".join(
    f"CREATE TRIGGER kept BEFORE DELETE ON annotation_{table}"
    " FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();"
    for table in KEPT_TABLES
)
LET_GO = "\n".join(f"DROP TRIGGER kept ON annotation_{table};" for table in KEPT_TABLES)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial"), ("accounts", "0002_rules")]
    operations = [
        migrations.RunSQL(IMMUTABLE, MUTABLE),
        migrations.RunSQL(
            WHOLE,
            """
            DROP TRIGGER whole ON annotation_option;
            DROP TRIGGER whole ON annotation_revision;
            DROP FUNCTION parable_option_keeps_revision_whole();
            DROP FUNCTION parable_revision_is_whole();
            DROP FUNCTION parable_check_revision(bigint);
            DROP FUNCTION parable_check_keys(bigint, text, boolean, integer, integer, integer);
            DROP FUNCTION parable_check_order(bigint, integer, integer, integer, integer, integer);
            DROP FUNCTION parable_check_own_answer(bigint, text, integer);
            DROP FUNCTION parable_answered_by(text);
            """,
        ),
        migrations.RunSQL(MARKED, UNMARKED),
        migrations.RunSQL(
            CHAIN,
            """
            DROP TRIGGER state_is_last_transition ON annotation_item;
            DROP TRIGGER follows ON annotation_transition;
            DROP FUNCTION parable_state_is_last_transition();
            DROP FUNCTION parable_transition_follows();
            DROP FUNCTION parable_move_exists(text, text);
            """,
        ),
        migrations.RunSQL(COUNT, UNCOUNT),
        migrations.RunSQL(AUTHORS + CONTRIBUTORS, NO_AUTHORS),
        migrations.RunSQL(KEPT, LET_GO),
    ]
