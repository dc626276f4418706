import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('language', models.CharField(blank=True, help_text='Empty: same as browser.', max_length=10, verbose_name='language')),
                ('time_zone', models.CharField(blank=True, max_length=64, verbose_name='time zone')),
                ('may_create_projects', models.BooleanField(default=False, verbose_name='may create projects')),
                ('is_placeholder', models.BooleanField(default=False, verbose_name='cannot sign in')),
                ('is_system', models.BooleanField(default=False, verbose_name='runs commands')),
                ('reset_links_revoked', models.PositiveIntegerField(default=0, editable=False)),
                ('closed_at', models.DateTimeField(blank=True, null=True, verbose_name='closed at')),
                ('inbox_seen_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('inbox_new_since', models.DateTimeField(blank=True, editable=False, null=True)),
                ('inbox_read_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('wants_mail', models.BooleanField(default=False, verbose_name='gets a daily mail')),
                ('mailed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'person',
                'verbose_name_plural': 'people',
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='accounts_user_username_ci'), models.UniqueConstraint(condition=models.Q(('is_system', True)), fields=('is_system',), name='accounts_one_system_account'), models.CheckConstraint(condition=models.Q(('is_placeholder', False), ('is_active', False), _connector='OR'), name='accounts_placeholder_cannot_sign_in')],
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verb', models.CharField(max_length=64, verbose_name='action')),
                ('subject_type', models.CharField(max_length=64, verbose_name='object type')),
                ('subject_id', models.BigIntegerField(verbose_name='object id')),
                ('detail', models.JSONField(default=dict, verbose_name='detail')),
                ('at', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audit_events', to=settings.AUTH_USER_MODEL, verbose_name='actor')),
            ],
            options={
                'verbose_name': 'audit event',
                'verbose_name_plural': 'audit events',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['subject_type', 'subject_id'], name='accounts_audit_subject')],
            },
        ),
    ]
