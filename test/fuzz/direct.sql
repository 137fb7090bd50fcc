-- Targets in C take the place of those in SQL (direct.c).
create function fuzz.prepare() returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.row(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.settings(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.checkpoint(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.hybridkg(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.amie(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.anyburl(input bytea) returns void language c as 'hybridkg_fuzz';
create or replace function fuzz.embeddings(input bytea) returns void language c as 'hybridkg_fuzz';
