// SPDX-License-Identifier: GPL-2.0-or-later
/* What is the same of all addresses of the kernel, or of a module of its, is read once. */
#include "symbol/frame_places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MAX_KERNEL_NOTES 65536
#define MAX_MODULES	 1024

/* A module of the kernel's, and what its build id is; 0: not known. */
struct place_module {
	str_id name, build_id;
};

struct frame_places {
	char *root;
	struct place_module *modules;
	size_t nr_modules, cap_modules;
	uint64_t text; /* where the kernel begins; 0: hidden */
	uint8_t build_id[ELF_IMAGE_MAX_BUILD_ID];
	size_t build_id_len;
};

/* The build id among the notes in a file; its length, 0: there is none. */
static size_t read_build_id(const char *path, uint8_t ret_id[ELF_IMAGE_MAX_BUILD_ID])
{
	_cleanup_free_ unsigned char *notes = xmalloc(MAX_KERNEL_NOTES);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, notes, MAX_KERNEL_NOTES);

	return len > 0 ? elf_notes_build_id(notes, len, ret_id) : 0;
}

/* A module that is gone, or was loaded after others to the bound, has none. */
static str_id module_build_id(struct frame_places *p, struct frame_table *frames, str_id name)
{
	const char *text = frame_table_str(frames, name, NULL);
	uint8_t id[ELF_IMAGE_MAX_BUILD_ID];
	_cleanup_free_ char *path = NULL;
	size_t len;

	for (size_t i = 0; i < p->nr_modules; i++)
		if (p->modules[i].name == name)
			return p->modules[i].build_id;
	if (p->nr_modules == MAX_MODULES || !*text || strchr(text, '/'))
		return 0;
	path = xasprintf("%s/sys/module/%s/notes/.note.gnu.build-id", p->root, text);
	len = read_build_id(path, id);
	array_reserve(p->modules, p->cap_modules, p->nr_modules + 1);
	p->modules[p->nr_modules++] = (struct place_module){
		.name = name,
		.build_id = len ? frame_table_intern(frames, (const char *)id, len) : 0,
	};
	return p->modules[p->nr_modules - 1].build_id;
}

struct frame_places *frame_places_new(const char *root, const struct kallsyms *kallsyms)
{
	struct frame_places *p = xcalloc(1, sizeof(*p));
	_cleanup_free_ char *notes = NULL;
	uint64_t end;

	if (kallsyms)
		p->text = kallsyms_address(kallsyms, "_text", &end);
	if (kallsyms && !p->text)
		p->text = kallsyms_address(kallsyms, "_stext", &end);
	notes = xasprintf("%s/sys/kernel/notes", root);
	p->root = xstrdup(root);
	p->build_id_len = read_build_id(notes, p->build_id);
	return p;
}

void frame_places_free(struct frame_places *p)
{
	if (!p)
		return;
	free(p->root);
	free(p->modules);
	free(p);
}

uint64_t frame_places_text(const struct frame_places *p)
{
	return p->text;
}

const uint8_t *frame_places_build_id(const struct frame_places *p, size_t *ret_len)
{
	*ret_len = p->build_id_len;
	return p->build_id;
}

frame_id frame_places_file(struct frame_table *frames, const struct mapped_file *f,
			   const struct elf_image *image, const struct frame_place *at)
{
	struct frame_place place = *at;
	uint64_t offset;

	if (!elf_image_offset(image, place.address, &offset))
		return place.function;
	place.base = place.address - offset;
	place.path = frame_table_intern(frames, f->path, f->path_len);
	place.build_id =
		frame_table_intern(frames, (const char *)image->build_id, image->build_id_len);
	return frame_table_add_place(frames, &place);
}

/* Modules and BPF programs stand where there was room: of those no offset is known. */
frame_id frame_places_kernel(struct frame_places *p, struct frame_table *frames,
			     const struct frame_place *at)
{
	const str_id module = frame_table_get(frames, at->function)->module;
	struct frame_place place = *at;

	if (*frame_table_str(frames, module, NULL) == '[') {
		place.base = p->text;
		place.build_id =
			frame_table_intern(frames, (const char *)p->build_id, p->build_id_len);
	} else {
		place.build_id = module_build_id(p, frames, module);
	}
	return frame_table_add_place(frames, &place);
}
