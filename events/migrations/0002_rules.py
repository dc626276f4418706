"""Events are append-only: only their position may be set, once, and only old ones may be deleted."""

from django.db import migrations

STAYS = """
CREATE FUNCTION parable_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at > now() - interval '89 days' THEN
            RAISE EXCEPTION 'event % is not old enough to be deleted', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.position IS NOT NULL OR NEW.position IS NULL
        OR (NEW.id, NEW.project_id, NEW.kind, NEW.object_type, NEW.object_id, NEW.data, NEW.at)
           IS DISTINCT FROM
           (OLD.id, OLD.project_id, OLD.kind, OLD.object_type, OLD.object_id, OLD.data, OLD.at)
    THEN
        RAISE EXCEPTION 'event % is not changed', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON events_event
    FOR EACH ROW EXECUTE FUNCTION parable_event_stays();
"""

GOES = """
DROP TRIGGER stays ON events_event;
DROP FUNCTION parable_event_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("events", "0001_initial")]

    operations = [migrations.RunSQL(STAYS, GOES)]
