import { type Mention, piecesOf } from './data.ts';
import './mentions.css';

/** Plain text with links to those it mentions, and to addresses. */
export const Mentioning = ({ text, mentions }: { text: string; mentions?: readonly Mention[] }) => (
  <>
    {piecesOf(text, mentions).map((piece, n) =>
      piece.mention ? (
        <bdi key={n} class="mention">
          {piece.href ? <a href={piece.href}>{piece.text}</a> : piece.text}
        </bdi>
      ) : piece.href ? (
        <a key={n} href={piece.href} rel="noopener noreferrer">
          {piece.text}
        </a>
      ) : (
        piece.text
      ),
    )}
  </>
);
