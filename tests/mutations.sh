# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests/mutate.sh: defects, each of which one check is there to notice.
#
#   mutation NAME TEST CHECK FILE SCRIPT
#
# FILE is the name of one file, wherever it lies; SCRIPT is for sed -E and finds its place by the
# text, not by line numbers; TEST is a path under tests/, without its suffix; CHECK is an extended
# regular expression that matches the name of the check that must fail.

# ---- names that take long ------------------------------------------------------------------------

mutation stacks-wait-without-bound unit/run/test_naming test_shares naming.c \
	's/fair_share_take\(n->shares, owner_of_uid\(ev->uid\), bytes\) >= 0/true/'
mutation ends-wait-for-all-files unit/symbol/test_mapped_file_shares users_files_are_read \
	mapped_file_symbols.c 's/now_ms >= end_ms/false/'
mutation many-processes-rest-as-one unit/symbol/test_process_table test_rest process_table.c \
	's/of_all > p->as\.nr \? of_all/false ? of_all/'
mutation windows-go-on-with-tags unit/run/test_naming test_window naming.c \
	'/^void naming_hold/,/^}/s/n->next_tag = 0;//'
mutation files-that-wait-stay-open unit/run/test_naming test_files naming.c \
	'/^static void file_drop/,/^}/s/close\(m->fd\)/(void)m->fd/'

# ---- names of others -----------------------------------------------------------------------------

mutation marks-can-be-forged unit/output/test_folded_read_back test_captures foreign_name.c \
	'/^static bool is_mark/,/^}/s/len > 1/len > 100/'
mutation suffixes-can-be-forged unit/output/test_folded_read_back test_captures foreign_name.c \
	's/^#define MAX_SUFFIX_LETTERS 8/#define MAX_SUFFIX_LETTERS 0/'
mutation comms-are-believed unit/collect/test_collector test_forged_comms base_text.c \
	'/^static void add_comm/,/^}/s/foreign_name_add/strbuf_add/'
mutation cgroups-of-a-moment-have-no-name unit/collect/test_collector several_roots collector.c \
	's/cgroups_add_new\(c->cgroups, ev->id, ev->path\)//'
mutation new-cgroups-pile-up unit/collect/test_cgroups test_new_ones cgroups.c \
	's/^\tcgroup_table_sweep\(&g->known, NULL, cgroup_is_old.*$//m'
mutation conmon-is-in-its-container unit/profile/test_cgroup_parts test_paths cgroup_parts.c \
	's/ \|\| ends_in\(&p, "-conmon-"\)//'
mutation victims-of-other-stacks unit/analysis/test_irq_rows test_known irq_rows.c \
	's/known->rows\[i\]\.samples > left\[class\]/false/'
mutation cut-names-are-believed unit/analysis/test_reroot test_coarser reroot.c \
	's/foreign_name_intern/frame_table_intern/'
mutation a-name-makes-perf-script unit/input/test_perf_script test_forged_header perf_detect.c \
	'/^static enum verdict ask_line/,/^}/s/if \(!is_folded\)\n?$/if (1)/'
mutation any-line-is-a-header unit/input/test_perf_script_forms test_not_headers perf_script.c \
	's/s->bare_line \&\& s->form != FORM_BARE/false/'
mutation addresses-of-a-run-are-read unit/input/test_perf_module test_addresses perf_module.c \
	's/f->addr >= MAX_FILE_ADDRESS/false/'
mutation code-is-believed unit/symbol/test_disassembly test_hostile disassembly.c \
	's/insn->address != address/false/'
mutation popf-lets-nothing-in unit/symbol/test_disassembly test_x86 disassembly.c \
	'/^static enum code_kind x86_kind/,/^}/s/return CODE_ENABLE/return CODE_PLAIN/'
mutation inlined-code-is-nobodys unit/analysis/test_hot_code test_places hot_code.c \
	'/^static node_id code_node/,/^}/s/== FRAME_INLINED/== FRAME_SITE/'
mutation any-file-is-annotated golden/test_annotate 'another file stands there' code_file.c \
	's/!name->build_id_len \|\|/true ||/'
mutation text-is-turned unit/util/test_text_escape test_table text_escape.c \
	's/p\[2\] <= 0xae/p[2] < 0xae/'
mutation entities-are-read unit/output/test_dot_quote test_quoted dot_quote.c \
	's/fputs\("amp;", out\)/(void)out/'
mutation what-is-not-known-is-a-number unit/profile/test_base_frame test_numbers base_frame.c \
	"s/ \|\| \*part\.at == '\?'//"
mutation tasks-put-together-are-believed unit/profile/test_base_frame test_put_together base_frame.c \
	'/^void base_frame_add_task/,/^}/s/foreign_name_add/strbuf_add/'
mutation places-are-carried unit/profile/test_frame_place test_functions_again profile_copy.c \
	's/frame_without_place\(from, id\)/*frame_table_get(from, id)/'
mutation pprof-has-negative-values unit/input/test_pprof_samples test_refused pprof_samples.c \
	's/value > INT64_MAX/false/'
mutation pprof-ids-are-there-twice unit/input/test_pprof_samples test_refused pprof_tables.c \
	's/if \(find_index\(l, entry.id\)\)/if (false)/'
mutation pages-see-no-drift golden/test_page 'every function is judged' drift.js \
	's/^const MAX_LAG = 8, MIN_BATCHES = 12/const MAX_LAG = 8, MIN_BATCHES = 120/'
mutation pages-lend-no-scatter golden/test_page 'every function is judged' believe.js \
	's/all = df \+ shared\.df/all = df/'
mutation pages-mix-rows-met-twice golden/test_page 'folded: the page finds what eddy finds' \
	collapse.js 's/places\[cur\] \+ recursions\[cur\] > 1/places[cur] > 1/'
mutation perf-tasks-share-their-mappings unit/output/test_perf_data test_tasks perf_data.c \
	's/\(uint64_t\)pid << 32 \| m->key/m->key/'
mutation perf-times-are-the-first-slots unit/output/test_perf_data test_times perf_data.c \
	's/start_ns \+ c->slot \* t->slot_ns/start_ns/'
mutation modules-have-the-kernels-build-id unit/symbol/test_frame_places test_modules \
	frame_places.c 's/module_build_id\(p, frames, module\)/0/'
mutation kernel-addresses-are-those-of-memory unit/symbol/test_frame_places test_addresses \
	frame_places.c 's/place.address = at->address - symbol->base \+ symbol->shown;//'
mutation modules-begin-where-they-are unit/symbol/test_kallsyms test_bases kallsyms.c \
	's/s->shown = KERNEL_PLACE_MODULE/s->shown = range->begin/'
mutation twins-of-the-kernel-tell-where-they-are unit/symbol/test_symbolizer test_kernel frame_maker.c \
	's/k->start - k->base/k->start/'
mutation code-that-comes-and-goes-is-where-it-is live/test_no_addresses 'none in all.pb.gz' \
	kernel_names.c 's/\.shown = KERNEL_PLACE_PASSING/.shown = c->start/'
mutation mappings-are-one-a-file unit/output/test_pprof test_instructions pprof_mappings.c \
	's/m->base == o->base/true/'
mutation addresses-of-a-run-are-shown unit/symbol/test_symbolizer test_ frame_maker.c \
	's/if \(!f.is_raw\)/if (1)/'

mutation a-process-is-its-function golden/test_callgraph 'no function of its cycles' pipeline.c \
	's/if \(profile_has_unmarked_bases/if (0 \&\& profile_has_unmarked_bases/'
mutation of-means-a-process golden/test_callgraph 'nor of who calls a function' function_find.c \
	's/return nr_functions \? nr_functions : nr;/return nr;/'
mutation merged-files-are-of-processes golden/test_pprof_input 'merge adds up' merge.c \
	's/\&\& !has_bases\(\*p\)/\&\& false/'
mutation a-counter-is-told-nowhere unit/run/test_account_text number_of_the_sampler \
	account_text.c 's/s->nr_stacks, s->spilled/s->nr_stacks, s->nr_stacks/'
mutation a-count-of-frames-is-told-nowhere unit/run/test_account_text number_of_the_collector \
	account_sidecar.c 's/c->frames_kernel_named/c->frames_kernel/'
mutation a-sticky-directory-moves unit/util/test_held_dir ones_own_doing safe_path.c \
	'/^static bool is_movable/,/^}/s/ \&\& !\(parent->is_sticky.*;/;/'
mutation a-removed-directory-is-written-to unit/util/test_held_dir what_others_move held_dir.c \
	's/st.st_nlink;/1;/'

mutation a-diff-is-a-profile golden/test_input 'what a diff writes' input.c \
	's/if \(nr >= FOLDED_DIFF_MIN_LINES\)/if (false)/'
mutation memory-is-not-counted unit/input/test_folded test_memory_bound input.c \
	's/if \(bytes > r->max_memory_bytes\)/if (!bytes)/'
mutation stacks-are-made-before-they-are-counted unit/input/test_folded test_memory_bound input/folded.c \
	's/f->depth % CHECK_EVERY == 0/false/'
mutation out-of-memory-aborts golden/test_memory 'no memory: exit status' command.c \
	'/^void mem_exhausted/,/^}/s/_exit\(EXIT_FAILED\);/;/'

# ---- paths of others -----------------------------------------------------------------------------

mutation parsers-have-files-without-namespaces unit/util/test_sandbox landlock_where sandbox.c \
	's/if \(s.files == SANDBOX_FILTER_ALONE\)$/if (0)/'
mutation parsers-connect-without-namespaces unit/util/test_sandbox landlock_where sandbox.c \
	's/abi >= 4 \? LANDLOCK_NET_TCP : 0/0/'
mutation who-asks-for-landlock-is-killed unit/util/test_sandbox the_filter_where sandbox.c \
	'/^static unsigned int landlock_abi/,/^}/s/fork\(\)/0/'
mutation links-lead-out-of-a-root unit/util/test_root_path links_stay_inside root_path.c \
	's/RESOLVE_IN_ROOT \| //'
mutation links-are-followed-without-openat2 unit/util/test_root_path where_it_is_refused root_path.c \
	's/STEP_FLAGS \| O_DIRECTORY/O_PATH | O_DIRECTORY/'
mutation private-maps-of-root-are-read unit/symbol/test_perf_map test_of_root perf_map.c \
	's/ \|\| !st.is_public//'
mutation owner-of-a-mapping-is-forgotten unit/capture/test_mapping_open the_file_that mapping_open.c \
	's/stat.owner = asked->owner/stat.owner = 0/'

mutation debug-files-of-anybody unit/symbol/test_debug_files whose_they_are debug_files.c \
	's/return !uid \|\|/return true ||/'
mutation debug-files-that-others-write unit/symbol/test_debug_files whose_they_are debug_files.c \
	's/if \(found->is_shared \|\| /if (/'
mutation debug-files-of-any-crc unit/symbol/test_debug_files another_crc debug_files.c \
	's/a.status == search->program->link->crc/a.status >= 0/'
mutation debug-files-of-another-program unit/symbol/test_debug_files another_build_id \
	elf_symbols_read.c 's/return a->build_id_len == b->build_id_len &&/return true ||/'
mutation debug-files-without-a-proof unit/symbol/test_debug_files large_files debug_files.c \
	's/is_checked = place->is_by_link && .*;/is_checked = true;/'
mutation further-files-are-theirs unit/symbol/test_source_file in_another_root debug_files.c \
	's/g->alt \&\& !g->alt->is_there\)$/g->alt)/'
mutation further-files-of-any-build-id unit/symbol/test_source_file another_build_id dwarf_file.c \
	's/ \|\| !has_build_id\(f->alt_elf, .*\)\)/)/'
mutation further-files-from-the-link unit/symbol/test_source_file beside_who_names_it source_file.c \
	's/dir = path \+ root_len;/return NULL;/'
mutation further-files-go-missing live/test_inline 'missing is counted once' mapped_file_source.c \
	's/ \+= \*counted_space != f->space/ += 0/'
mutation call-operators-are-one unit/symbol/test_dwarf_source call_operators dwarf_entry.c \
	's/if \(!follow\(method, DW_AT_object_pointer, &at\)\)/if (true)/'
mutation split-files-are-not-said unit/symbol/test_dwarf_source split_files dwarf_entry.c \
	's/return dwarf_hasattr\(unit, DW_AT_dwo_name\) .*$/return false;/'
mutation skeletons-hold-no-code unit/symbol/test_dwarf_source split_files_of_clang dwarf_places.c \
	's/ \|\| tag == DW_TAG_skeleton_unit//'
mutation anybody-is-root-there unit/symbol/test_debug_files root_of_users process_root.c \
	's/if \(uid == NO_UID \|\| uid != r->root_uid\)/if (uid == NO_UID)/'
mutation root-there-is-root-here unit/symbol/test_debug_files root_of_users process_root.c \
	's/if \(other_uid - r->users\[i\].outside < r->users\[i\].nr\)/if (r->nr_users)/'

mutation weak-names-are-hidden unit/symbol/test_elf_symbols_aliases test_aliases symbol_name.c \
	's/return rank == SYMBOL_LOCAL \? 2 : rank == SYMBOL_OLD/return rank/'
mutation old-names-are-shown unit/symbol/test_elf_symbols_aliases test_aliases elf_names.c \
	's/if \(is_old\[i\] && /if (false \&\& /'

mutation shared-memory-is-a-file unit/symbol/test_symbolizer test_shared_memory symbolizer_user.c \
	's/if \(m->file && is_memory\(m->file\)\)/if (false)/'

mutation devices-are-opened unit/util/test_regular_file a_terminal_is_not_opened regular_file.c \
	's/!S_ISREG\(st.st_mode\)/!st.st_mode/'
mutation nothing-is-read-without-proc unit/util/test_regular_file without_proc regular_file.c \
	's/opened == -ENOENT \?/opened > 0 \?/'

# ---- whose it is ---------------------------------------------------------------------------------

mutation who-has-most-loses-symbols unit/symbol/test_loaded_files random_tables loaded_files.c \
	's/= fair_share_bound\(bytes, o->owner\)/= 0/'
mutation symbols-are-one-queue unit/symbol/test_mapped_file_shares thousands_of_files shared_symbols.c \
	'/^struct elf_symbols \*shared_symbols_take/,/^}/s/owner_of_uid\(uid\)/OWNER_SYSTEM/'
mutation a-crowd-displaces-daemons unit/symbol/test_process_table a_crowd process_table.c \
	's/= owner_of_process_in\(t->root, pid\)/= OWNER_SYSTEM/'
mutation mappings-are-one-queue unit/symbol/test_process_table very_many process_table.c \
	's/^(\tkeep_bound\(t, t->)mappings, p/\1places, p/'
mutation full-places-are-not-counted unit/capture/test_unwind_loader the_worker_is_behind \
	unwind_loader.c 's/l->limits\.nr\[LIMIT_PLACES\]\+\+;//'
mutation no-number-for-ever unit/capture/test_unwind_loader all_numbers_are_taken unwind_loader.c \
	's/^\trefused_files_add\(l->refused, &ev->key, false.*$//'
mutation tables-wait-in-one-queue unit/capture/test_waiting_tables others_wait_too waiting_tables.c \
	's/job->table \? job->table->owner : job->owner/OWNER_SYSTEM/'
mutation watches-are-one-queue unit/capture/test_file_watch_bounds a_user_with_too_many file_watch.c \
	's/return \(owner_id\)\(q - w->queues\)/return q < w->queues/'
mutation the-kernels-watches-are-not-given-back unit/capture/test_file_watch_bounds the_kernel_has \
	file_watch.c 's/from != share_of\(w, q\)\)$/false)/'
mutation all-tables-are-asked-for-each unit/capture/test_unwind_maps_many many_make_way unwind_maps.c \
	's/^#define NOTE_EVERY_NS .*$/#define NOTE_EVERY_NS 0/'
mutation the-last-table-is-lost unit/capture/test_unwind_maps_many many_go unwind_maps.c \
	's/= i \+ 1;$/= 1;/'
mutation one-user-takes-all-rules-for-ever attack/test_recovery 'after: [0-9]+ of' shared_rules.c \
	's/fair_share_take\(r->share, owner, 1\)/fair_share_take(r->share, OWNER_SYSTEM, 1)/'
mutation one-of-them-is-several unit/util/test_limit one_and_several limit.c \
	's/nr == 1 \? texts/nr > 1 ? texts/'
mutation subordinate-uids-are-users unit/util/test_owner_ranges whose_they_are owner_ranges.c \
	's/e->items\[low\].range.uid = user->pw_uid/(void)user/'
mutation containers-of-root-are-the-system unit/util/test_owner_ranges blocks_of_the_system \
	owner_ranges.c 's/return range->uid \?/return 1 ?/'
mutation outer-ranges-are-not-found unit/util/test_owner_ranges within_one_another owner_ranges.c \
	's/reach = r->items\[i\].end > reach \? r->items\[i\].end : reach/reach = r->items[i].end/'

mutation lost-events-are-ignored unit/capture/test_file_watch events_were_lost file_watch.c \
	's/q->is_overflown = true/q->is_overflown = false/'
mutation lost-events-are-looked-at-without-rest unit/capture/test_file_watch events_were_lost \
	file_watch.c 's/ \|\| now_s < q->rest_s//'
mutation users-crowd-out-the-system unit/capture/test_file_watch queues_by_owner file_watch.c \
	's/: 1 \+ owner % .*;/: owner % FILE_WATCH_QUEUES;/'
mutation users-files-are-watched-as-the-system-s unit/capture/test_mapping_open the_owners_queue \
	mapping_open.c 's/copy.queue = r->is_last \? .*/copy.queue = r->queue;/'

# ---- waits ------------------------------------------------------------------------------------

mutation waits-lose-less-than-a-microsecond unit/collect/test_collector test_waits collector_wait.c \
	's/c->rest_ns = all % 1000;/c->rest_ns = 0;/'
mutation waits-before-the-window-count unit/capture/test_open_waits the_part_inside wait_abi.h \
	's/__u64 since = w->since_ns > begin_ns .*, woken/__u64 since = w->since_ns, woken/'
mutation unseen-switches-are-now unit/capture/test_open_waits unseen_switches wait_abi.h \
	's/in_ns = now_ns > ran ? .*/in_ns = now_ns;/'
mutation time-is-added-to-samples golden/test_units 'time and folded text' file_facts.c \
	's/f.bare \&\& f.timed/false/'

# ---- windows and turns -----------------------------------------------------------------------

mutation map-read-before-ring unit/capture/test_drain the_ring_is_read_before_the_map drain.c \
	'/^int drain_end_window/,/^}/s/late_finish\(d\);/take_turn(d, turn); late_finish(d);/'
mutation early-records-do-not-wait unit/capture/test_drain early_records_wait drain_records.c \
	'/^static bool is_early/,/^}/s/->turn == now/->turn == now + 1/'
mutation early-exec-overtakes unit/capture/test_drain early_records_wait drain_records.c \
	's/return d->early.len > 0;/return false;/'
mutation early-request-waits unit/capture/test_drain early_records_wait drain_records.c \
	'/^static bool is_early/,/^}/s/^\treturn false;/\treturn true;/'
mutation early-records-are-dropped unit/capture/test_drain each_sample_is_in_its_window drain.c \
	's/early_records_take\(\&d->early, drain_on_early, d\);/d->early.len = 0;/'
mutation failed-turn-is-forgotten unit/capture/test_drain a_turn_that_fails drain.c \
	'/^static int end_turn/,/^}/s/take_turn\(d, .*\);/;/'
mutation stacks-forgotten-when-relieved unit/capture/test_drain relieving_is_no_end drain.c \
	's/(totals.nr_relieved\+\+;)/\1 stack_table_clear(d->stacks);/'
mutation stacks-kept-over-windows unit/capture/test_drain relieving_is_no_end_of_a_window drain.c \
	'/^int drain_end_window/,/^}/s/forget_stacks\(d\);//'
mutation counters-not-cleared unit/capture/test_drain each_sample_is_in_its_window turn_counters.c \
	'/^int turn_counters_take/,/^}/s/memset\(all.*\);//'
mutation unsent-stacks-are-forgotten unit/capture/test_drain each_sample_is_in_its_window drain.c \
	'/^static void take_count/,/^}/s/drain_lose\(d, .*\);/;/'
mutation draining-does-not-end unit/capture/test_drain draining_ends drain_records.c \
	's/\? 0 : -EAGAIN/? 0 : 0/'
mutation late-samples-stay unit/capture/test_drain late_samples_end_with_their_window drain.c \
	's/late_samples_poll\(d->late, true\)/late_samples_poll(d->late, false)/'
mutation no-moment-for-tables unit/capture/test_drain late_samples_end_with_their_window drain.c \
	's/unwind_loader_is_busy\(d->loader\) &&/false \&\&/'
mutation turn-not-waited-for unit/capture/test_drain each_sample_is_in_its_window counts.c \
	'/^int counts_turn/,/^}/s/r = map_install\(.*\);/r = 0;/'
mutation turn-raised-after-waiting unit/capture/test_counts test_turn counts.c \
	'/^int counts_turn/,/^}/{
		s/__atomic_store_n\(c->turn, turn \+ 1, .*\);//
		s/c->nr_sent = 0;/c->nr_sent = 0; *c->turn = turn + 1;/
	}'
mutation failed-turn-stays-raised unit/capture/test_counts test_no_turn counts.c \
	'/^int counts_turn/,/^}/s/__atomic_store_n\(c->turn, turn, .*\);/;/'

# ---- perf maps -------------------------------------------------------------------------------

mutation a-share-that-sank-is-exceeded unit/symbol/test_symbolizer_limits a_share_that_sinks \
	process_jit.c 's/(fair_share_take\(t->jit.*\)) >= 0\)/\1 >= -EDQUOT)/'
mutation unsorted-lines-are-believed unit/symbol/test_perf_map_lines lies perf_map_lines.c \
	'/^static bool symbols_are_sound/,/^}/s/jit_symbol_compare\(.*\) >= 0/false/'
mutation names-outside-are-believed unit/symbol/test_perf_map_lines lies perf_map_lines.c \
	'/^static bool symbols_are_sound/,/^}/s/s->len > l->names_len - s->name/false/'
mutation perf-map-written-anew unit/symbol/test_perf_map test_names perf_map_lines.c \
	's/stamp_of\(fd, ask.from\) == ask.stamp/true/'
mutation moved-code-is-everywhere unit/symbol/test_perf_map_lines lies perf_map_lines.c \
	's/if \(s->is_move && s->len.*\)/if (false)/'
mutation code-is-named-by-its-successor unit/symbol/test_jit_dump named_by_time perf_map.c \
	's/const bool has_next = c.next/const bool has_next = false/'
mutation children-name-their-parents-code unit/symbol/test_jit_dump_read of_others \
	jit_dump_read.c 's/if \(load.pid != d->pid\)/if (false)/'
mutation records-are-read-before-they-are-whole unit/symbol/test_jit_dump_read damaged \
	jit_dump_read.c 's/ \|\| head.bytes > d->file_bytes - h->to//'
mutation dumps-of-any-pid unit/symbol/test_jit_dump found_by_name jit_dump.c \
	's/strncmp\(slash, name, len\)/strncmp(slash, name, 5)/'

# ---- mangled names ---------------------------------------------------------------------------

mutation killer-takes-others-along unit/symbol/test_demangle_queue names_that_kill \
	demangle_queue.c \
	'/^static void parser_died/,/^}/s/stay_mangled\(b, at, 1\)/stay_mangled(b, 0, b->nr)/'
mutation time-for-names-is-not-shared unit/symbol/test_demangle_queue a_share_of_the_time \
	demangle_queue.c 's/minute_share_note\(&b->q->time, owner, clock_ns.*\);/;/'
mutation long-lengths-are-believed unit/symbol/test_demangle_queue lies demangle_batch.c \
	's/len > end - at \|\| len > DEMANGLE_MAX_BYTES/false/'
mutation parsers-may-burn unit/symbol/test_demangle_queue a_parser_that_burns_is_killed \
	worker_parser.c '/^void parser_bound_cpu/,/^}/s/request->is_in_parser/false/'

# ---- room for unwind tables ------------------------------------------------------------------

mutation room-does-not-rest unit/capture/test_unwind_maps room_rests unwind_maps.c \
	'/^static bool has_rested/,/^}/s/return .*/return true;/'
mutation rows-written-over unit/capture/test_unwind_maps no_row_is_written_over unwind_maps.c \
	'/^static bool has_rested/,/^}/s/return .*/return true;/'
mutation retired-table-stays-valid unit/capture/test_unwind_maps room_rests unwind_maps.c \
	'/^static void table_retire/,/^}/s/version_change\(m\);//'
mutation most-used-makes-way unit/capture/test_unwind_maps the_longest_unused unwind_maps.c \
	'/^static bool table_oldest/,/^}/{s/used_in >= oldest/used_in <= oldest/;s/oldest = UINT64_MAX; .*/oldest = 0;/;s/oldest != UINT64_MAX/oldest/}'
mutation vdso-makes-way unit/capture/test_unwind_maps the_longest_unused unwind_maps.c \
	's/is_vdso\(key\) \? UINT64_MAX : m->eviction_round/m->eviction_round/'
mutation resting-room-is-forgotten unit/capture/test_unwind_maps the_longest_unused unwind_maps.c \
	'/^static uint64_t rows_to_come/,/^}/s/nr \+= m->resting.*;/;/'
mutation failed-table-keeps-its-room unit/capture/test_unwind_maps a_failure_takes_no_room unwind_maps.c \
	'/bpf_map_update_elem\(m->fds.files, key, &f, BPF_ANY\)/,/return r/s/table_rest\(m, &t\);//'
mutation half-a-table-keeps-its-room unit/capture/test_unwind_maps a_failure_takes_no_room unwind_room.c \
	'/^int unwind_room_put/,/^}/s/give_back\(.*\);//'
mutation no-bound-for-a-table unit/capture/test_unwind_maps larger_than_the_bound unwind_maps.c \
	's/!share_make_room\(m, table->owner, table->nr_rows\)/false/'

mutation users-have-no-share unit/capture/test_unwind_maps a_user_has_his_share unwind_maps.c \
	'/^static bool share_make_room/,/^}/s/owner, nr_rows\)/OWNER_SYSTEM, nr_rows)/'
mutation left-out-for-ever unit/capture/test_unwind_maps rules_left_out unwind_maps.c \
	'/^void unwind_maps_age/,/^}/s/table_retire\(m, i\);/;/'
mutation one-user-takes-all-rules unit/capture/test_shared_rules one_user_does_not shared_rules.c \
	's/fair_share_take\(r->share, owner, 1\)/fair_share_take(r->share, OWNER_SYSTEM, 1)/'
mutation rules-never-come-back unit/capture/test_shared_rules numbers_come_back shared_rules.c \
	's/fair_share_give\(r->share, use->owner, 1\);/;/'

mutation busy-machine-counts-as-stall unit/util/test_worker_pool a_busy_machine worker_pool.c \
	's/if \(is_readable\(w->fd, step_ns\)\)/if (is_readable(w->fd, step_ns) \&\& false)/'

# ---- files that the sampler asks for ---------------------------------------------------------

mutation file-told-after-its-table unit/capture/test_unwind_loader running_files_come_first unwind_loader_jobs.c \
	'/^static void job_tell/,/^}/{/unwind_loader_tell_file/,/;/d}'
mutation ended-process-hides-a-file unit/capture/test_unwind_loader what_cannot_be_opened unwind_loader.c \
	'/^void unwind_loader_file_is_missing/,/^}/s/if \(err == -ESRCH/if (err == -EBUSY/'
mutation devices-count-as-refused unit/capture/test_unwind_loader what_cannot_be_opened unwind_loader.c \
	'/^static void count_failure/,/^}/s/else if \(err != -ENODEV\)/else/'
mutation refused-for-ever unit/capture/test_unwind_loader what_cannot_be_opened unwind_loader.c \
	's/refused_files_poll\(.*\)\)\)/false)/'
mutation dead-parsers-are-not-counted unit/capture/test_unwind_loader what_cannot_be_parsed unwind_loader_jobs.c \
	's/l->nr_refused \+= job->is_unparsed;//'
mutation no-bound-for-descriptors unit/capture/test_unwind_loader the_worker_is_behind unwind_jobs.c \
	's/fair_share_ask\(j->places, owner, 1\) < 0 \|\| //'
mutation table-does-not-wait unit/capture/test_unwind_loader a_table_waits_for_room waiting_tables.c \
	's/unwind_queue_put\(&w->jobs, job\)/unwind_job_free(job)/'
mutation failed-table-is-not-asked-for unit/capture/test_unwind_loader a_table_waits_for_room \
	unwind_loader_jobs.c '/^static void job_finish/,/^}/s/unwind_maps_forget\(.*\);/;/'

# ---- the account of a window -----------------------------------------------------------------

mutation account-without-a-loss unit/run/test_capture_account test_differences capture_account.c \
	's/i < NR_SAMPLER_LOSSES/i < NR_SAMPLER_LOSSES - 1/'
mutation account-of-the-whole-run unit/run/test_capture_account test_differences capture_account.c \
	'/^void capture_account_fill/,/^}/s/sampler_stats_since\(.*\);//'
mutation lost-stacks-not-in-the-profile unit/run/test_capture_account test_differences capture_account.c \
	's/collector_lost\(.*,$/(void)(/'
mutation late-windows-are-silent unit/run/test_capture_account test_lapses capture_account.c \
	's/l->late_ns >= LATE_MIN_NS/l->late_ns > LATE_MIN_NS * 1000/'
mutation missing-samples-are-silent unit/run/test_capture_account test_missing capture_account.c \
	's/due \/ 200/due \/ 2/'
mutation differing-stacks-are-silent unit/run/test_capture_account test_kernel_stacks capture_account.c \
	's/if \(s->kernel_differed\)/if (s->kernel_differed > 1)/'

# ---- what the sampler is told, and what it did not take ----------------------------------------

mutation comm-is-not-ended unit/capture/test_sampler_config comm_is_cut sampler_config.c \
	's/sizeof\(ret_config->comm\) - 1/sizeof(ret_config->comm)/'
mutation threads-pass-for-processes unit/capture/test_sampler_config test_filters sampler_config.c \
	's/opts->by_thread \? EDDY_FILTER_TID : EDDY_FILTER_PID/EDDY_FILTER_PID/'
mutation cpus-by-their-place unit/capture/test_due_samples test_windows due_samples.c \
	's/judged_of\(d, c->cpu\)/judged_of(d, i)/'
mutation refused-sampler-leaves-descriptors unit/capture/test_sampler without_privileges sampler_open.c \
	'/^int sampler_open/,/^}/{s/_cleanup_\(sampler_freep\) //;s/\tr = pid_space_find/\topen("\/", O_PATH); r = pid_space_find/}'

# ---- what foreign files are read in ------------------------------------------------------------

mutation sealed-without-a-filter unit/util/test_sandbox no_way_leads_out sandbox.c \
	's/return r \?: filter_load\(\);/return r;/'
mutation memory-may-be-executed unit/util/test_sandbox no_way_leads_out sandbox.c \
	's/SCMP_CMP_MASKED_EQ, PROT_EXEC, 0/SCMP_CMP_MASKED_EQ, 0, 0/'
mutation memory-without-a-bound unit/util/test_sandbox no_way_leads_out sandbox.c \
	's/limits->data_bytes\)/limits->data_bytes * 1024)/'
mutation capabilities-stay unit/util/test_sandbox others_see_it_stripped sandbox.c \
	's/syscall\(SYS_capset, &head, none\) < 0/false/'
mutation root-stays unit/util/test_sandbox others_see_it_stripped sandbox.c \
	's/&& !leave_root\(\)/\&\& geteuid()/'

mutation terms-lose-their-high-bits unit/capture/test_pmu test_refused pmu.c \
	's/return !value;/return true;/'
mutation precision-is-not-stepped-down unit/capture/test_event test_precision event.c \
	's/event->precise; event->precise--/false; event->precise--/'
mutation modules-without-a-bound unit/archive/test_sidecar_modules test_bound sidecar_modules.c \
	's/p->items\[i\].len > room/0 > room/'

mutation answers-may-change unit/util/test_worker_parser a_parser_is_replaced worker_parser.c \
	's/\(seals & ALL_SEALS\) == ALL_SEALS/true/'
mutation any-file-is-an-answer unit/util/test_worker_parser a_parser_is_replaced worker_parser.c \
	's/seals >= 0 &&/seals < 0 ||/'
mutation every-jit-stack-is-noted unit/run/test_capture_account test_jit capture_account.c \
	's/user_total \* JIT_PERCENT/user_total * 0/'
mutation killed-parsers-are-not-made-good unit/util/test_worker_parser a_killed_parser_is_made_good \
	worker_parser.c 's/r == -ECHILD && clock_ns/false \&\& clock_ns/'
mutation the-dead-cost-nothing unit/util/test_worker_parser time_of_the_dead_is_counted \
	worker_parser.c '/^static void parser_end/,/^}/s/cpu_time_look\(p\);//'
mutation parts-are-believed unit/elf/test_elf_copy lists_are_not_believed elf_copy.c \
	's/list\[i\]\.bytes > file_bytes - list\[i\]\.offset/false/'
mutation parts-without-a-bound unit/elf/test_elf_copy lists_are_not_believed elf_copy.c \
	's/list\[i\]\.bytes > ELF_PARTS_MAX_BYTES - sum/false/'
mutation holes-are-copied unit/elf/test_elf_copy holes_stay_holes elf_copy.c \
	's/most == CHUNK_BYTES/false/'
mutation terminators-hide-records unit/unwind/test_eh_frame many_terminators cfi_section.c \
	's/if \(two\)/if ((uint32_t)two)/'
mutation one-builder-for-all unit/capture/test_unwind_jobs long_ones_are_not_waited_for \
	unwind_jobs.c 's/^#define NR_BUILDERS .*/#define NR_BUILDERS 1/'
mutation both-builders-for-one unit/capture/test_unwind_jobs one_of_each_owner unwind_jobs.c \
	's/ \|\| is_served\(j, \(\*at\)->owner\)/ \|\| (false \&\& is_served(j, (*at)->owner))/'
mutation hashes-without-a-key attack/test_hashes 'hashes: sampling ended' hash.c \
	's/getrandom\(hash_key, sizeof\(hash_key\), 0\) != sizeof\(hash_key\)/false/'
mutation any-file-is-opened-for-parsers unit/util/test_worker_parser files_are_opened regular_file.c \
	'/^int regular_file_reopen/,/^}/s/!S_ISREG\(st.st_mode\)/0/'
mutation truncated-files-are-mapped-again unit/elf/test_elf_source truncated_meanwhile \
	worker_parser.c 's/^(\t\tp->maps_again_ns = ).*/\10;/'
mutation views-reach-beyond-the-file unit/elf/test_elf_source mapped_is_read elf_source.c \
	's/!source->bytes \|\| offset > source->len \|\| len > source->len - offset/!source->bytes/'
mutation names-of-answers-have-any-length unit/symbol/test_elf_symbols_pack lies elf_symbols.c \
	's/return strnlen\(name, ELF_NAME_MAX_BYTES\)/return strlen(name)/'
mutation parsers-are-not-shut-in unit/util/test_worker_parser parsing_is_done_elsewhere worker_parser.c \
	's/sandbox_seal\(&sandbox, &limits\) < 0/!limits.cpu_s/'
mutation rules-of-no-table unit/unwind/test_unwind_pack changed_bytes unwind_pack.c \
	's/\(t->row\[next \+ k\] & 0xffff\) >= nr_rules/false/'
mutation rows-that-fall unit/unwind/test_unwind_pack changed_bytes unwind_pack.c \
	's/\(k && t->row\[next \+ k\] >> 16 <=/(k > 1000000 \&\& t->row[next + k] >> 16 <=/'
mutation names-that-do-not-end unit/symbol/test_elf_symbols_pack lies elf_symbols_pack.c \
	's/\(!names\[0\] && !names\[len - 1\]\)/!names[0]/'
mutation names-of-any-length unit/symbol/test_elf_symbols_pack lies user/symbol/elf_symbols.c \
	's/strnlen\(name, ELF_NAME_MAX_BYTES\)/strlen(name)/'
mutation names-outside-the-names unit/symbol/test_elf_symbols_pack lies elf_symbols_pack.c \
	's/e\[i\]\.name >= names_len/false/'
mutation symbols-that-fall unit/symbol/test_elf_symbols_pack lies elf_symbols_pack.c \
	's/e\[i\]\.value < e\[i - 1\]\.value/false/'
mutation functions-that-fall unit/symbol/test_elf_symbols_pack lies elf_symbols_pack.c \
	's/t->ranges\[i\]\.start <= t->ranges\[i - 1\]\.start/false/'
mutation symbols-read-by-a-worker unit/symbol/test_mapped_file_parser a_parser_of_small_files \
	worker_parser.c 's/worker_parse\(request->parser, parse,/worker_parse(NULL, parse,/'
mutation symbols-read-by-the-program unit/symbol/test_mapped_file_parser a_parser_hangs \
	elf_symbols_parse.c 's/worker_pool_parse_for\(source->pool/worker_pool_parse_for(NULL/'
mutation unparsed-is-not-counted unit/symbol/test_mapped_file_parser a_parser_dies \
	mapped_file_symbols.c 's/t->limits.nr\[LIMIT_UNPARSED\]\+\+;//'
mutation idle-parsers-are-not-replaced unit/symbol/test_mapped_file_parser a_parser_dies_idle \
	worker_parser.c 's/i < 2 && r < 0/i < 1 \&\& r < 0/'
mutation time-of-parsers-for-all unit/symbol/test_mapped_file_parser parsing_is_shared \
	mapped_file_symbols.c '/^static bool may_parse/,/^}/s/> 0;/>= 0;/'

# ---- lines -------------------------------------------------------------------------------------

mutation lines-of-another-kernel unit/symbol/test_kernel_source other_kernel kernel_source.c \
	's/\.build_id = k->build_id,$/.build_id = NULL,/'
mutation anybody-may-name-the-kernel unit/symbol/test_kernel_source by_release kernel_source.c \
	's/ && !found\.stat\.uid && !found\.is_shared//'
mutation go-calls-at-the-leaf unit/symbol/test_go_source calls_are_those_of_dwarf go_source.c \
	's/at = call\.at;//'
mutation go-tables-by-the-end unit/symbol/test_go_source lines_are_those_of_go go_source.c \
	's/target < at\)/target <= at)/'
mutation kernel-is-not-moved unit/symbol/test_kernel_source by_build_id dwarf_source.c \
	's/anchor - source->anchor/0/'
mutation places-without-bounds unit/profile/test_frame test_place frame.c \
	's/line <= UINT32_MAX \? line : 0/line/'
mutation lines-stay unit/analysis/test_functions without_lines functions.c \
	's/to\[id\] = frame_table_without_line\(frames, id\)/to[id] = id/'

# ---- what stays bounded ------------------------------------------------------------------------

mutation generations-are-one-chain unit/capture/test_file_numbers many_generations file_key.h \
	's/hash_mix\(key->inode, key->gen\)/0/'
mutation aliases-are-one-chain unit/capture/test_file_aliases many_generations file_aliases.c \
	'/^static uint64_t alias_table_hash/,/^}/s/return .*/return shown_hash(\&a->shown);/'
mutation gone-generation-is-found unit/capture/test_file_numbers test_generations file_numbers.c \
	'/^void file_numbers_meet/,/^}/s/inode->last = \*key;/;/'

mutation chains-are-cleared-by-half unit/util/test_table test_cleared table.h \
	'/name##_clear/,/^$/s/ = name##_hash\(o, &id\) & t->mask; t->slots\[i\];/ = id \& t->mask; t->slots[i];/'

# ---- functions without symbols -----------------------------------------------------------------

mutation last-function-of-a-start unit/symbol/test_function_table test_overlaps function_table.c \
	's/if \(!n \|\| t->ranges.*\)$/if (true)/'
mutation labels-reach-over-functions unit/symbol/test_elf_symbols_twins test_label elf_symbols.c \
	's/\(r >= 0 && begin <= start\)/(r >= 0)/'
mutation addresses-behind-a-function unit/symbol/test_elf_symbols_twins test_label elf_symbols.c \
	's/if \(vaddr >= end\)/if (false)/'
mutation system-calls-behind-a-function unit/symbol/test_elf_symbols_twins \
	test_system_call_at_the_end elf_symbols.c 's/if \(r < 0 && vaddr && .*\)/if (false)/'
mutation any-entry-point-is-start unit/symbol/test_elf_roots test_without_main elf_roots.c \
	's/if \(!\(is_arm64 \? arm64_is_start\(&c\) : x86_is_start\(&c\)\)\)/if (false)/'

# ---- live: by hand, as root, on a machine that is not too busy --------------------------------

mutation halted-samples-are-kept live/test_accounting 'idle: of halted samples' sampler.bpf.c \
	's/!config.keep_idle &&/false \&\&/'
mutation windows-end-early live/test_windows 'windows end at multiples' window_clock.c \
	'/^static uint64_t plan_end/,/^}/s/return (.*);/return (\1) - 60000000;/'
mutation windows-end-before-the-second live/test_snapshot 'windows end on the second' window_clock.c \
	'/^static uint64_t plan_end/,/^}/s/return (.*);/return (\1) - 60000000;/'
mutation rate-is-never-lowered noisy/test_overhead 'until eddy costs no more' overhead.c \
	's/factor = o->max \/ cost \* MARGIN;/factor = 0.999;/'
mutation names-of-other-places live/test_badplaces "deleted: no other file's symbols" symbolizer.c \
	's/elf_symbols_find\(symbols, vaddr, &start\)/elf_symbols_find(symbols, vaddr - 96, \&start)/'
mutation functions-have-no-names live/test_record 'and there are such with names' symbolizer.c \
	's/elf_symbols_find\(symbols, vaddr, &start\)/elf_symbols_find(symbols, ~vaddr, \&start)/'
mutation every-other-event live/test_record 'each of 2000 page faults' event.c \
	's/(attr.sample_period = )(rate->period);/\12 * \2;/'
mutation broken-stacks-are-not-marked live/test_unwind 'c_(cut|random|length): sampled' collector_stack.c \
	'/^static node_id place_user/,/^}/s/at = profile_child\(c->profile, at, c->truncated\);/;/'
mutation deep-kernel-stacks-are-asked-for noisy/test_kernel_stacks 'were walked' kernel_stack.bpf.h \
	's/n >= EDDY_MAX_KERNEL_FRAMES - 1/n >= 5/'
mutation deep-stacks-end-early noisy/test_dwfl 'of the others agree' unwind.bpf.h \
	's/= (walk_up\(&s->walk, m, space->version, pc\));/= n > 8 ? EDDY_END_ROOT : \1;/'

# ---- memory of windows ---------------------------------------------------------------------------

mutation windows-have-no-bound unit/collect/test_collector \
	test_bounded collector_memory.c \
	's/^	if \(!max \|\| bytes_held\(c\) <= c->trim_at\)/	if (1)/'
mutation windows-are-trimmed-for-all-alike unit/profile/test_profile_trim \
	test_others_keep_detail profile_trim.c \
	's/if \(u->need <= u->share\)/if (!u->need)/'
mutation nobody-has-a-half unit/profile/test_profile_trim \
	test_shares profile_trim.c \
	's/others < bytes \/ 2 \? bytes - others : bytes - bytes \/ 2/bytes \/ 16/'
mutation names-are-not-cut-first unit/profile/test_profile_trim \
	test_names_first profile_trim.c \
	's/\+= u->by_depth\[depth\]\.cut;/+= u->by_depth[depth].whole;/'
mutation kernel-frames-are-cut-too unit/profile/test_profile_trim \
	test_kernel_stays profile_trim.c \
	's/\(is_user_frame\(f\) && t->depth\[n\] > u->depth\)/t->depth[n] > u->depth || !is_user_frame(f)/'
mutation whose-stacks-are-is-shown unit/profile/test_profile_trim \
	test_disown profile_owner.c \
	's/^	f\.start = 0;$//'
mutation cut-names-come-back unit/profile/test_profile_trim \
	test_stays_short profile_trim.c \
	's/is_over \|= is_named\(t->from, f, PROFILE_CUT\);/is_over |= false;/'
mutation the-queue-loses-stacks-first unit/snapshot/test_snapshot_writer \
	test_too_much snapshot_writer.c \
	's/^	snapshot_window_trim\(window, max_bytes \/ 2\);$//'

mutation all-files-are-opened-at-once unit/symbol/test_address_space \
	test_many_files address_space.c \
	's/^#define MAX_OPENED    512/#define MAX_OPENED    65536/; s/MAX_OPENED_NS 50000000ull/MAX_OPENED_NS 50000000000ull/'

# ---- what runs -----------------------------------------------------------------------------------

mutation arcs-without-samples-stay unit/analysis/test_callgraph test_samples_leave callgraph.c \
	's/^\tdrop_arcs\(cg\);/\t(void)drop_arcs;/'
mutation depths-stay unit/analysis/test_callgraph test_samples_leave callgraph.c \
	's/^\tif \(has_again\)/\tif (!p)/'
mutation a-window-keeps-its-samples unit/live/test_live_window as_in_one_piece live_window.c \
	'/^static int set_factor/,/^}/s/tallies_subtract\(&i->shown, w->shown, i->factor\);//'
mutation rows-of-a-tree-jump unit/live/test_live_state freeze_everywhere live_state.c \
	's/t->view != LIVE_FLAME/t->view == LIVE_FUNCTIONS/'
mutation instructions-of-another-function unit/analysis/test_hot_code test_frame hot_code.c \
	's/f->origin == wanted->origin && //'
mutation rows-leave-their-parents unit/live/test_live_sort every_table live_keep.c \
	's/rows\[i\]\.parent = .*;/rows[i].parent = 0;/'
mutation past-windows-slide unit/live/test_live_window interval_is_found live_window.c \
	'/into->serial =/d'

# ---- rules read out of code ------------------------------------------------------------------

mutation returns-need-no-balance unit/unwind/test_code_flow does_not_come_out_even code_flow.c \
	'/^static void check_balance/,/^}/s/!code_state_is_balanced\(state\)/false/'
mutation unknown-instructions-are-passed unit/unwind/test_code_flow does_not_come_out_even code_flow.c \
	'/^static bool flow_step/,/^}/s/if \(!e->len\)/if (false)/'
mutation guesses-may-jump-anywhere unit/unwind/test_code_flow does_not_come_out_even code_flow.c \
	'/^static bool is_proved/,/^}/s/!f->is_open_ended/true/'
mutation guesses-need-no-alignment unit/unwind/test_code_flow needs_alignment code_flow.c \
	'/^static bool is_proved/,/^}/s/= f->nr_calls \&\& .*;/= f->nr_calls;/;/^static bool is_proved/,/^}/s/!f->is_misaligned/true/'
mutation calls-always-return unit/unwind/test_code_flow does_not_return code_flow.c \
	'/^static void contradict/,/^}/s/if \(!call \|\|/if (true ||/'
mutation code-has-other-stacks unit/unwind/test_code_flow another_stack code_flow.c \
	'/^bool code_flow_is_foreign/,/^}/s/return !f->has_failed/return false/'
mutation jumps-begin-nothing unit/unwind/test_code_rows jumps_to_is_one code_rows.c \
	'/^static void visit_insn/,/^}/s/code_state_is_entry\(state\)/false/'
mutation calls-end-nothing unit/unwind/test_code_rows does_not_return code_guess.c \
	'/^static bool ends_with_call/,/^}/s/!\(end \& 15\)/true/'
mutation who-steps-back-hurries unit/util/test_priority who_was_told_to_step_back priority.c \
	's/\&\& nice <= PRIORITY_NICE \&\&/\&\&/'
mutation a-long-run-is-forgiven unit/util/test_priority who_computes_for_too_long priority.c \
	'/^static void on_too_long/,/^}/s/set_ordinary\(0\);//'
mutation forgotten-modes-stay-behind unit/collect/test_collector test_forgotten_tags collector_memory.c \
	'/^static void nodes_moved/,/^}/s/past_modes_move\(c, nodes\);//'
mutation questions-are-not-asked-again unit/symbol/test_process_table test_unanswered process_table.c \
	's/p->nr_unanswered \&\& p->nr_unanswered <= MAX_RETRIES/false/'
mutation halves-are-believed golden/test_snapshots 'the first bad one of the later half' stack_files_read.c \
	's/if \(!is_sound\(files, \&h, into\)\)/if (false)/'
mutation a-command-is-one-line unit/input/test_perf_script_forms test_commands perf_script.c \
	's/if \(is_of_command\(s\)\)/if (false)/'

# ---- what is seen on a terminal ------------------------------------------------------------------

mutation progress-stays-on-the-screen golden/test_progress 'and then no more' progress.c \
	'/^void progress_clear/,/^}/s/if \(is_shown\)/if (false)/'
mutation progress-is-for-everybody golden/test_progress 'none where there is no terminal' progress.c \
	'/^bool progress_is_on/,/^}/s/return .*/return true;/'
mutation rows-of-diff-are-broken-in-two golden/test_widths '40 columns' diff_text.c \
	'/^static bool is_narrow/,/^}/s/v->opts->width &&/false \&\&/'
mutation an-arrow-in-any-locale golden/test_widths 'diff' diff_words.c \
	's/"->"/"→"/'
mutation usage-is-as-wide-as-it-is golden/test_widths 'help in a file: report' help.c \
	's/width \? width : USUAL_COLUMNS/10000/'
mutation zydis-is-forgotten-by-the-package golden/test_install 'all that it is built with' control \
	's/^ +libzydis-dev,//'
