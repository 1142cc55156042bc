// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Patience
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct HealthWatchTests {
    /// Another process's list of mounts stands for the attribute of sysfs: it announces a change in the same way
    /// (proc(5): POLLERR and POLLPRI of /proc/PID/mounts), and a mount there is one that needs no driver.
    @Test func whatTheKernelAnnouncesIsReadAtOnce() async throws {
        guard system("unshare -m true 2>/dev/null") == 0 else {
            return print("SKIPPED: mounts are not allowed here, so that nothing announces a change")
        }
        let tree = try SysfsTree()
        tree["devices/platform/soc/soc:firmware/pid"] = ""
        let folder = tree.path + "/devices/platform/soc/soc:firmware"
        let child = try #require(
            popen("exec unshare -m sh -c 'echo $$ >\(folder)/pid; read a; mount -t tmpfs none /mnt; read a'", "w"))
        defer { pclose(child) }
        let pid = try await eventually("the child is there") {
            (try? BoundedFile.text(folder + "/pid"))?.split(separator: "\n").first.flatMap { Int($0) }
        }
        try #require(symlink("/proc/\(pid)/mounts", folder + "/get_throttled") == 0)
        let (readings, told) = AsyncStream.makeStream(of: Void.self)
        let watch = try HealthWatch(
            reader: HealthReader(root: tree.path, folder: tree.path), every: .seconds(86_400)
        ) { _ in told.yield() }
        let stop = StopRequest()
        let running = StopRequest.$current.withValue(stop) { Task { try await watch.run() } }
        var next = readings.makeAsyncIterator()
        await next.next()
        fputs("\n", child)
        fflush(child)
        await next.next()
        stop.give()
        try await running.value
        fputs("\n", child)
    }
}
