"""A release that is ready is never changed: it can only be withdrawn. Its errata are never deleted."""

from django.db import migrations

FROZEN = """
CREATE TRIGGER frozen BEFORE UPDATE OR DELETE ON release_releaseitem
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
CREATE TRIGGER frozen BEFORE UPDATE OR DELETE ON release_artifact
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
CREATE TRIGGER frozen BEFORE UPDATE OR DELETE ON release_erratum
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();

CREATE FUNCTION parable_release_is_building() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM release_release WHERE id = NEW.release_id AND state = 'building') THEN
        RAISE EXCEPTION 'release % is not being built', NEW.release_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'release_is_building';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER building BEFORE INSERT ON release_releaseitem
    FOR EACH ROW EXECUTE FUNCTION parable_release_is_building();
CREATE TRIGGER building BEFORE INSERT ON release_artifact
    FOR EACH ROW EXECUTE FUNCTION parable_release_is_building();

CREATE FUNCTION parable_release_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'releases are not deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state IN ('ready', 'withdrawn') AND (
        NEW.state NOT IN ('ready', 'withdrawn') OR (OLD.state = 'withdrawn' AND NEW.state = 'ready')
        OR (NEW.project_id, NEW.version, NEW.seed, NEW.recipe, NEW.manifest, NEW.ready_at, NEW.extends_id)
           IS DISTINCT FROM
           (OLD.project_id, OLD.version, OLD.seed, OLD.recipe, OLD.manifest, OLD.ready_at, OLD.extends_id)
    ) THEN
        RAISE EXCEPTION 'release % is frozen', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON release_release
    FOR EACH ROW EXECUTE FUNCTION parable_release_stays();
"""

THAWED = """
DROP TRIGGER stays ON release_release;
DROP FUNCTION parable_release_stays();
DROP TRIGGER building ON release_artifact;
DROP TRIGGER building ON release_releaseitem;
DROP FUNCTION parable_release_is_building();
DROP TRIGGER frozen ON release_erratum;
DROP TRIGGER frozen ON release_artifact;
DROP TRIGGER frozen ON release_releaseitem;
"""


class Migration(migrations.Migration):
    dependencies = [("release", "0001_initial"), ("accounts", "0002_rules")]
    operations = [migrations.RunSQL(FROZEN, THAWED)]
