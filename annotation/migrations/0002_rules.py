"""What the database itself refuses about items, whoever asks and however.

- Revisions, their options and types, and transitions never change.
- A revision has exactly one key, 2 to 8 options and, where the task wants one, a type.
- A transition must be a move of the lifecycle and must start where the last one ended; an item's
  state is where its last transition ended.
"""

from django.db import migrations

IMMUTABLE_TABLES = ("revision", "option", "revisiontype", "transition")

IMMUTABLE = "\n".join(
    f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON annotation_{table}"
    " FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();"
    for table in IMMUTABLE_TABLES
)
MUTABLE = "\n".join(f"DROP TRIGGER immutable ON annotation_{table};" for table in IMMUTABLE_TABLES)

# Deferred, because a revision is inserted before its options and types.
WHOLE = """
CREATE FUNCTION parable_check_revision(checked bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    options integer;
    keys integer;
    wants_type boolean;
BEGIN
    SELECT count(*), count(*) FILTER (WHERE is_key) INTO options, keys
        FROM annotation_option WHERE revision_id = checked;
    IF keys <> 1 THEN
        RAISE EXCEPTION 'revision % has % keys, it needs exactly one', checked, keys
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_exactly_one_key';
    END IF;
    IF options < 2 OR options > 8 THEN
        RAISE EXCEPTION 'revision % has % options, it needs 2 to 8', checked, options
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_two_to_eight_options';
    END IF;
    SELECT item.task = 'commonsense' INTO wants_type
        FROM annotation_revision revision JOIN annotation_item item ON item.id = revision.item_id
        WHERE revision.id = checked;
    IF wants_type AND NOT EXISTS (SELECT 1 FROM annotation_revisiontype WHERE revision_id = checked) THEN
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
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = NEW.item_id FOR UPDATE;
    SELECT to_state INTO stands_at FROM annotation_transition
        WHERE item_id = NEW.item_id ORDER BY id DESC LIMIT 1;
    IF coalesce(stands_at, '') <> NEW.from_state THEN
        RAISE EXCEPTION 'item % stands at %, not at %', NEW.item_id, coalesce(stands_at, ''), NEW.from_state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_transition_follows';
    END IF;
    IF NOT parable_move_exists(NEW.from_state, NEW.to_state) THEN
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
            """,
        ),
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
    ]
