// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// What the kernel says of the machine: what it is, its memory, its buses and disks. No serial
/// number, no host name, no address. Reads small files of /proc and /sys.
struct KernelFacts {
    /// `/`, or a tree of the same form.
    var root = "/"
    /// The state folder.
    let folder: String

    private static let files = [
        "proc/sys/kernel/osrelease", "proc/device-tree/model", "proc/uptime", "proc/loadavg", "proc/asound/cards",
        "sys/devices/virtual/dmi/id/product_name",
    ]
    private static let folders = [
        "sys/bus/i2c/devices", "sys/bus/iio/devices", "sys/bus/gpio/devices", "sys/class/rtc", "sys/class/power_supply",
        "sys/class/input", "sys/block",
    ]
    private static let memory = ["MemTotal:", "MemAvailable:", "SwapTotal:", "SwapFree:"]

    var text: String {
        let read = Self.files.compactMap { path in content(path).map { "\(path): \($0)" } }
        let listed = Self.folders.map { "\($0): \(FolderListing.readable(root + $0).joined(separator: " "))" }
        let lines = (content("proc/meminfo") ?? "").split(separator: "\n").filter { line in
            Self.memory.contains { line.hasPrefix($0) }
        }
        let system = (content("etc/os-release") ?? "").split(separator: "\n").filter { $0.hasPrefix("PRETTY_NAME=") }
        let disk = DiskSpace(at: folder).map {
            "state folder: \(ByteText.of($0.free)) free of \(ByteText.of($0.total))"
        }
        return (system.map(String.init) + read + lines.map(String.init) + listed + [disk].compactMap(\.self))
            .joined(separator: "\n") + "\n"
    }

    private func content(_ path: String) -> String? {
        guard let text = try? BoundedFile.text(root + path) else { return nil }
        let plain = text.filter { $0 != "\0" }
        return plain.isEmpty ? nil : String(plain.reversed().drop { $0.isWhitespace }.reversed())
    }
}
