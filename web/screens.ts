// THE list of screens: the address, and what is shown there. A screen is its own chunk. The server answers the first
// part of these addresses with the app (server/modules/web/pages.ts).
import { lazy } from 'preact-iso';

export const screens = [
  { path: '/', component: lazy(() => import('./families/home/home-screen.tsx')) },
  { path: '/updates/:id', component: lazy(() => import('./families/posts/update-screen.tsx')) },
  { path: '/kudos/:id', component: lazy(() => import('./families/posts/kudos-screen.tsx')) },
  { path: '/articles', component: lazy(() => import('./families/articles/articles-screen.tsx')) },
  { path: '/articles/new', component: lazy(() => import('./families/articles/article-editor-screen.tsx')) },
  { path: '/articles/:id/edit', component: lazy(() => import('./families/articles/article-editor-screen.tsx')) },
  { path: '/articles/:slug', component: lazy(() => import('./families/articles/article-screen.tsx')) },
  { path: '/events', component: lazy(() => import('./families/events/events-screen.tsx')) },
  { path: '/events/:id', component: lazy(() => import('./families/events/event-screen.tsx')) },
  { path: '/spaces', component: lazy(() => import('./families/spaces/spaces-screen.tsx')) },
  { path: '/spaces/:id/:tab?', component: lazy(() => import('./families/spaces/space-screen.tsx')) },
  { path: '/pages', component: lazy(() => import('./families/pages/pages-screen.tsx')) },
  { path: '/pages/new', component: lazy(() => import('./families/pages/page-editor-screen.tsx')) },
  { path: '/pages/:id/edit', component: lazy(() => import('./families/pages/page-editor-screen.tsx')) },
  { path: '/pages/:id', component: lazy(() => import('./families/pages/page-screen.tsx')) },
  { path: '/documents', component: lazy(() => import('./families/documents/documents-screen.tsx')) },
  { path: '/documents/:id', component: lazy(() => import('./families/documents/document-screen.tsx')) },
  { path: '/chat', component: lazy(() => import('./families/chat/chat-screen.tsx')) },
  { path: '/chat/:channel_url', component: lazy(() => import('./families/chat/channel-screen.tsx')) },
  { path: '/directory', component: lazy(() => import('./families/users/directory-screen.tsx')) },
  { path: '/directory/people/:id/:tab?', component: lazy(() => import('./families/users/person-screen.tsx')) },
  { path: '/org-chart/:id?', component: lazy(() => import('./families/users/org-chart-screen.tsx')) },
  { path: '/teams/:id', component: lazy(() => import('./families/teams/team-screen.tsx')) },
  { path: '/settings/:tab?', component: lazy(() => import('./families/settings/settings-screen.tsx')) },
  { path: '/search', component: lazy(() => import('./families/search/search-screen.tsx')) },
  { path: '/oauth/authorize', component: lazy(() => import('./families/oauth/authorize-screen.tsx')) },
  { path: '/saved', component: lazy(() => import('./families/saved/saved-screen.tsx')) },
] as const;
