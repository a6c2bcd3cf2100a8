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

static size_t read_module_build_id(const struct frame_places *p, const char *module,
				   uint8_t ret_id[ELF_IMAGE_MAX_BUILD_ID])
{
	_cleanup_free_ char *path = NULL;

	if (!*module || strchr(module, '/'))
		return 0;
	path = xasprintf("%s/sys/module/%s/notes/.note.gnu.build-id", p->root, module);
	return read_build_id(path, ret_id);
}

/* A module that is gone, or was loaded after others to the bound, has none. */
static str_id module_build_id(struct frame_places *p, struct frame_table *frames, str_id name)
{
	uint8_t id[ELF_IMAGE_MAX_BUILD_ID];
	size_t len;

	for (size_t i = 0; i < p->nr_modules; i++)
		if (p->modules[i].name == name)
			return p->modules[i].build_id;
	if (p->nr_modules == MAX_MODULES)
		return 0;
	len = read_module_build_id(p, frame_table_str(frames, name, NULL), id);
	array_reserve(p->modules, p->cap_modules, p->nr_modules + 1);
	p->modules[p->nr_modules++] = (struct place_module){
		.name = name,
		.build_id = len ? frame_table_intern(frames, (const char *)id, len) : 0,
	};
	return p->modules[p->nr_modules - 1].build_id;
}

struct frame_places *frame_places_new(const char *root)
{
	struct frame_places *p = xcalloc(1, sizeof(*p));
	_cleanup_free_ char *notes = xasprintf("%s/sys/kernel/notes", root);

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

bool frame_places_is_build_id(const struct frame_places *p, const char *module, const char *id,
			      size_t len)
{
	uint8_t of_module[ELF_IMAGE_MAX_BUILD_ID];

	if (!*module)
		return len == p->build_id_len && !memcmp(id, p->build_id, len);
	return len == read_module_build_id(p, module, of_module) && !memcmp(id, of_module, len);
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

frame_id frame_places_kernel(struct frame_places *p, struct frame_table *frames,
			     const struct frame_place *at, const struct kernel_symbol *symbol)
{
	struct frame_place place = *at;

	place.address = at->address - symbol->base + symbol->shown;
	place.base = symbol->shown;
	if (*symbol->module)
		place.build_id =
			module_build_id(p, frames, frame_table_get(frames, at->function)->module);
	else
		place.build_id =
			frame_table_intern(frames, (const char *)p->build_id, p->build_id_len);
	return frame_table_add_place(frames, &place);
}
