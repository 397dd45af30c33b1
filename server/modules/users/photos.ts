import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { queueRemoval, withPictures } from '../pictures/queries.ts';
import { lockUser, updateUserPhoto } from './queries.ts';

/** Stores the image and points the person at it; the former photo is removed afterwards. */
export const setPhoto = (tx: Tx, { storage }: Services, user_id: number, image: UploadedFile) =>
  withPictures(storage, tx.organisation_id, { image }, (keys) =>
    tx.transaction(async (inside) => {
      const user = (await lockUser(inside, user_id)) ?? refuseNotFound();
      await queueRemoval(inside, [user.photo_key]);
      return updateUserPhoto(inside, user_id, keys.image ?? '');
    }),
  );
