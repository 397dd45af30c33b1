// A program of somebody else, for the compilers: what is right compiles, what is wrong does not.
import {
  type Asset,
  AtriumError,
  type Client,
  changes,
  createClient,
  each,
  openChat,
  type Page,
  reconcile,
  uploadFile,
  verifyWebhook,
} from '@atrium/sdk';

export const atrium: Client = createClient({ baseUrl: 'https://acme.example', organisationId: 1, apiKey: () => 'key' });

export async function run(): Promise<Page | undefined> {
  const { data } = await atrium.createPage({ body: { title: 'a', html_content: '<p></p>', is_draft: true } });
  const title: string = data.title;
  await atrium.listPages();
  const { meta } = await atrium.listPages({ space_id: 3, take: 5 }, { timeoutMs: 5 });
  const total: number = meta.pagination.total_records;
  for await (const page of each(atrium.listPages, { space_id: 3 })) {
    const id: number = page.id;
    void id;
  }
  for await (const user of each(atrium.listUsers)) void user.email;
  for await (const change of changes(atrium, { types: ['page'], after: 3 })) void change.sequence;
  const outcome = await reconcile(atrium.getUpdateByExternalId, 'x');
  if (outcome.happened) void outcome.data.text;
  const page = await reconcile(atrium.getPageByExternalId, 7);
  const asset: Asset = await uploadFile(atrium, new Blob(['x']), {
    onProgress: ({ sent, total }) => void [sent, total],
  });
  for await (const event of openChat(atrium)) if (event.event === 'message.created') void event.message.text;
  const team = await atrium.changeTeamUsers({ id: 1, body: { ids_to_add: [1] } });
  const added: number = team.meta.users_added;
  const event = verifyWebhook('', {}, 's');
  if (event.action === 'page.created') void event.page.title;
  try {
    // @ts-expect-error: no such field
    await atrium.createPage({ body: { titel: 'a', html_content: '' } });
    // @ts-expect-error: needs an id
    await atrium.getPage({});
    // @ts-expect-error: no such operation
    await atrium.patchPage({ id: 1 });
    // @ts-expect-error: no such type of change
    changes(atrium, { types: ['badge'] });
  } catch (error) {
    if (error instanceof AtriumError && error.isUncertain) void error.request_id;
  }
  void [title, total, page, asset, added];
  return undefined;
}
