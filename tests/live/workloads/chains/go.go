// SPDX-License-Identifier: GPL-2.0-or-later
//
// goexit -> digger -> dig (20 times) -> leaf, where leaf has no frame; beside it goexit -> clock ->
// the vdso on the thread's stack, and goexit -> garbage, which calls the collector there.

package main

import (
	"os"
	"strconv"
	"time"
)

var sink int
var keep [][]*int

//go:noinline
func leaf(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i*i ^ sum
	}
	return sum
}

//go:noinline
func dig(depth int) int {
	if depth > 1 {
		return dig(depth-1) + 1
	}
	return leaf(100000) + 1
}

//go:noinline
func clock() {
	for i := 0; i < 10000; i++ {
		sink += time.Now().Nanosecond()
	}
}

//go:noinline
func garbage() {
	keep = nil
	for i := 0; i < 100; i++ {
		row := make([]*int, 100)
		for j := range row {
			row[j] = new(int)
		}
		keep = append(keep, row)
	}
}

func digger(end time.Time, done chan bool) {
	for time.Now().Before(end) {
		sink += dig(20)
	}
	done <- true
}

func clocker(end time.Time, done chan bool) {
	for time.Now().Before(end) {
		clock()
	}
	done <- true
}

func collector(end time.Time, done chan bool) {
	for time.Now().Before(end) {
		garbage()
	}
	done <- true
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		os.Exit(2)
	}
	end := time.Now().Add(time.Duration(seconds * 1e9))
	done := make(chan bool)
	go digger(end, done)
	go clocker(end, done)
	go collector(end, done)
	for i := 0; i < 3; i++ {
		<-done
	}
}
