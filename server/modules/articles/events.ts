import { event } from '../../kernel/delivery/outbox.ts';
import { Article, DeletedArticle } from './contract.ts';

export const articlePublished = event('article.published', 'An article was published.', { article: Article });
export const articleUpdated = event('article.updated', 'A published article changed.', { article: Article });
export const articleArchived = event('article.archived', 'An article was archived.', { article: Article });
export const articleUnarchived = event('article.unarchived', 'An article was brought back.', { article: Article });
export const articleDeleted = event('article.deleted', 'An article was deleted for good.', { article: DeletedArticle });
