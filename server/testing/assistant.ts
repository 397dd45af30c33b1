// An assistant as people run it: the protocol's own client, which keeps what it is given in memory.
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  type StoredOAuthClientInformation,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

export class Assistant implements OAuthClientProvider {
  asked: URL | undefined;
  kept: OAuthTokens | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = '';
  readonly redirectUrl: string;
  readonly clientMetadata;
  readonly #url: string;

  constructor(url: string, callback: string) {
    this.#url = url;
    this.redirectUrl = callback;
    this.clientMetadata = { client_name: 'Judge', redirect_uris: [callback], scope: 'read write' };
  }
  clientInformation = () => this.#client;
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }
  tokens = () => this.kept;
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens;
  }
  redirectToAuthorization(to: URL) {
    this.asked = to;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;

  async connect(): Promise<Client> {
    const client = new Client({ name: 'judge', version: '1' });
    await client.connect(this.transport());
    return client;
  }
  transport = () => new StreamableHTTPClientTransport(new URL(`${this.#url}/mcp`), { authProvider: this });
}
