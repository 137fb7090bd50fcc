-- From 0.1.0 to this version: what is dropped or renamed first.  The rest is the script of this version, with
-- "create or replace" (Makefile).

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION hybridkg UPDATE" to load this file. \quit

-- what has other arguments or results now

drop view hkg_progress;
drop function hkg_drop_graph(name);
drop function hkg_mine_rules(name, int, float8, int, bool, text, name, float8, int, float8);
drop function hkg_load(name, text, text);
drop function hkg_train(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);
drop function hkg_trainings();
drop function hkg_tune(name, jsonb, jsonb, int, bigint, name);
drop function hkg_predict_tails(name, text, text, int, name, bool, text);
drop function hkg_predict_heads(name, text, text, int, name, bool, text);
drop function hkg_learn_evidence(name, name);
drop function hkg_complete(name, text, int, float8, name, text);
drop function hkg_import_rules(name, text, text, name);
drop function hkg_apply_rule(name, text);
drop function hkg_evaluate(name, text, name, bigint, text);
drop function hkg_ranks(name, text, name, bigint, text);
drop function hkg_rule_precision(name, int, text, name);
drop function hkg_sparsity(name);
drop function hkg_train_background(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);
drop function hkg_estimate(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);

-- what users do not call

alter function hkg_presets() rename to _hkg_presets;
alter procedure hkg_layout_1() rename to _hkg_layout_1;
alter function hkg_estimate_k(internal) rename to _hkg_estimate_k;
