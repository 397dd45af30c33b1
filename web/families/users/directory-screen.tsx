import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { type Person, people } from './data.ts';
import { PersonLine } from './person-line.tsx';

function DirectoryScreen() {
  useTitle(t('place.people'));
  return (
    <>
      <h1>{t('place.people')}</h1>
      <Feed<Person> list={people()} label={t('place.people')} empty={<Empty icon="users" title={t('space.nobody')} />}>
        {(person) => <PersonLine person={person} />}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default DirectoryScreen;
