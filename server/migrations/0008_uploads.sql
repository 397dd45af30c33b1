-- Uploads that nobody confirms end by a job of their own.
drop index assets__pending;
