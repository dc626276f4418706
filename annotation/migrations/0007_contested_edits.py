from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_pilots'),
    ]

    operations = [
        migrations.AlterField(
            model_name='transition',
            name='cause',
            field=models.CharField(choices=[('written', 'written at the desk'), ('revised', 'revised by its writer'), ('imported', 'imported'), ('reworded_by_import', 'reworded by an import'), ('withdrawn', 'withdrawn'), ('retired', 'retired'), ('another_look', 'sent to another look'), ('contested', 'the writer contests the rejection'), ('contested_edit', "the writer contests a reviewer's edit"), ('wrong_blind_answer', 'a blind answer did not agree with the key'), ('all_reject', 'rejected in cross-check'), ('all_return', 'returned to the writer'), ('all_pass', 'passed in cross-check'), ('below_pass_rating', 'a score was below the pass mark'), ('edit_adopted', "a reviewer's edit was adopted"), ('split', 'the reviewers disagreed'), ('verifier_pass', 'confirmed in verification'), ('verifier_reject', 'dropped in verification'), ('verifier_return', 'returned by the verifier'), ('ruled_pass', 'ruled: it stands'), ('ruled_send_on', 'ruled: on to verification'), ('ruled_return', 'ruled: back to the writer'), ('ruled_reject', 'ruled: rejected')], max_length=30),
        ),
    ]
