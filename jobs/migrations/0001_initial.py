import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='AllowedHost',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(max_length=253, verbose_name='host')),
                ('port', models.PositiveIntegerField(default=443, verbose_name='port')),
                ('note', models.CharField(blank=True, max_length=200, verbose_name='note')),
                ('allowed_at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('allowed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'allowed host',
                'verbose_name_plural': 'allowed hosts',
                'ordering': ['host', 'port'],
                'constraints': [models.UniqueConstraint(fields=('host', 'port'), name='jobs_allowed_host')],
            },
        ),
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('kind', models.CharField(choices=[('openai', 'OpenAI-compatible'), ('by_hand', 'by hand: copy the prompt, paste the answer')], default='openai', max_length=10, verbose_name='kind')),
                ('base_url', models.CharField(blank=True, max_length=400, verbose_name='base URL')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('key_variable', models.CharField(blank=True, max_length=80, verbose_name='environment variable with the API key')),
                ('parameters', models.JSONField(blank=True, default=dict, verbose_name='parameters')),
                ('price_in', models.DecimalField(decimal_places=4, default=Decimal('0'), max_digits=12, verbose_name='input price')),
                ('price_out', models.DecimalField(decimal_places=4, default=Decimal('0'), max_digits=12, verbose_name='output price')),
                ('requests_per_minute', models.PositiveIntegerField(default=60, verbose_name='requests per minute')),
                ('tokens_per_minute', models.PositiveIntegerField(default=100000, verbose_name='tokens per minute')),
                ('parallel_calls', models.PositiveSmallIntegerField(default=4, verbose_name='parallel calls')),
                ('timeout_seconds', models.PositiveSmallIntegerField(default=60, verbose_name='timeout in seconds')),
                ('takes_schema', models.BooleanField(blank=True, editable=False, null=True, verbose_name='supports JSON schema')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='endpoints', to='projects.project')),
            ],
            options={
                'verbose_name': 'endpoint',
                'verbose_name_plural': 'endpoints',
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='jobs_endpoint_name'), models.CheckConstraint(condition=models.Q(('kind', 'by_hand'), models.Q(('base_url', ''), _negated=True), _connector='OR'), name='jobs_endpoint_has_an_address')],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField()),
                ('operation', models.CharField(max_length=80)),
                ('result', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='jobs_idempotency_key')],
            },
        ),
        migrations.CreateModel(
            name='Work',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('subject', models.BigIntegerField(blank=True, null=True)),
                ('title_code', models.CharField(blank=True, max_length=200)),
                ('title_about', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('pending', 'waiting to start'), ('running', 'running'), ('paused', 'paused'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='pending', max_length=10)),
                ('step', models.PositiveSmallIntegerField(default=0)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('reason', models.TextField(blank=True)),
                ('result', models.JSONField(blank=True, default=dict)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='projects.project')),
            ],
            options={
                'verbose_name': 'job',
                'verbose_name_plural': 'jobs',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state__in', ['pending', 'running'])), fields=['state', 'heartbeat_at'], name='jobs_unfinished'), models.Index(fields=['kind', 'subject', '-id'], name='jobs_by_subject'), models.Index(fields=['project', '-id'], name='jobs_by_project'), models.Index(condition=models.Q(('finished_at__isnull', False)), fields=['project', '-finished_at'], name='jobs_ended')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('kind', 'subject'), name='jobs_one_waits'), models.CheckConstraint(condition=models.Q(('subject__isnull', False), models.Q(('title_code', ''), _negated=True), _connector='OR'), name='jobs_have_a_title')],
            },
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=64, unique=True)),
                ('subject', models.JSONField(default=dict)),
                ('prompt', models.TextField()),
                ('model', models.CharField(blank=True, max_length=120)),
                ('parameters', models.JSONField(default=dict)),
                ('schema', models.JSONField(blank=True, null=True)),
                ('asked_as', models.CharField(blank=True, choices=[('schema', 'with a JSON schema'), ('plain', 'as plain text')], max_length=10)),
                ('state', models.CharField(choices=[('pending', 'waiting'), ('running', 'asking'), ('done', 'answered'), ('refused', 'blocked by a content filter'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='pending', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('raw_response', models.TextField(blank=True)),
                ('reason_code', models.CharField(blank=True, max_length=40)),
                ('reason', models.CharField(blank=True, max_length=400)),
                ('tokens_in', models.PositiveIntegerField(default=0)),
                ('tokens_out', models.PositiveIntegerField(default=0)),
                ('held', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                ('cost', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                ('latency_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='jobs.endpoint')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='jobs.work')),
            ],
            options={
                'verbose_name': 'call',
                'verbose_name_plural': 'calls',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['job', 'state'], name='jobs_call_by_state'), models.Index(condition=models.Q(('state__in', ['pending', 'running'])), fields=['endpoint', 'state', 'due_at'], name='jobs_call_unfinished')],
            },
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('limit', models.DecimalField(blank=True, decimal_places=6, max_digits=14, null=True)),
                ('estimate', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                ('held', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                ('spent', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='budget', to='jobs.work')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('held__gte', 0), ('spent__gte', 0)), name='jobs_budget_not_negative'), models.CheckConstraint(condition=models.Q(('limit__isnull', True), ('held', 0), ('limit__gte', models.F('held')), _connector='OR'), name='jobs_never_hold_more_than_the_limit')],
            },
        ),
        migrations.CreateModel(
            name='KeyBinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('variable', models.CharField(max_length=80, unique=True, verbose_name='environment variable')),
                ('bound_at', models.DateTimeField(auto_now=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('bound_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('host', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bindings', to='jobs.allowedhost')),
            ],
            options={
                'verbose_name': 'key binding',
                'verbose_name_plural': 'key bindings',
                'ordering': ['variable'],
            },
        ),
        migrations.CreateModel(
            name='ProjectBudget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('limit', models.DecimalField(blank=True, decimal_places=6, max_digits=14, null=True)),
                ('set_at', models.DateTimeField(auto_now=True)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='model_budget', to='projects.project')),
                ('set_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'budget of a project',
                'verbose_name_plural': 'budgets of projects',
                'constraints': [models.CheckConstraint(condition=models.Q(('limit__isnull', True), ('limit__gte', 0), _connector='OR'), name='jobs_project_budget_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='StoredKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sealed', models.TextField(editable=False)),
                ('stored_at', models.DateTimeField(auto_now=True)),
                ('endpoint', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='stored_key', to='jobs.endpoint')),
                ('stored_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'stored key',
                'verbose_name_plural': 'stored keys',
            },
        ),
    ]
