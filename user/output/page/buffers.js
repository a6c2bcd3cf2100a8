// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of columns that nobody needs any more, for the next ones: to touch fresh memory for the
 * first time takes longer than what is done in it.  What is given back must not be looked at again.
 */

const LEAST_BUFFER = 65536;

class Buffers {
	constructor() {
		this.free = [];
	}
	/* A column of zeros. */
	take(Type, nr) {
		const bytes = nr * Type.BYTES_PER_ELEMENT;
		let best = -1;

		if (bytes < LEAST_BUFFER)
			return new Type(nr);
		this.free.forEach((buffer, i) => {
			const { byteLength } = buffer;

			if (byteLength >= bytes && byteLength <= 2 * bytes &&
				(best < 0 || byteLength < this.free[best].byteLength))
				best = i;
		});
		if (best >= 0)
			return new Type(this.free.splice(best, 1)[0], 0, nr).fill(0);
		/* A little more than it takes: the next tree may be a little larger. */
		return new Type(new ArrayBuffer(Math.ceil(bytes / 4096 + bytes / LEAST_BUFFER) * 4096), 0, nr);
	}
	give(...columns) {
		for (const { buffer } of columns)
			if (buffer.byteLength >= LEAST_BUFFER)
				this.free.push(buffer);
	}
	clear() {
		this.free.length = 0;
	}
}

const buffers = new Buffers();
