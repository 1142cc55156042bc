// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// What the kernel says of the machine: what it is, its memory, its buses and disks. No serial
/// number and no host name; an address can be part of a device's name, and `SupportRedaction` cuts it.
/// Reads small files of /proc and /sys, for `kernel.txt` of `SupportBundle`.
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
        var facts = lines(of: "etc/os-release", beginning: ["PRETTY_NAME="])
        facts += Self.files.compactMap { path in content(path).map { "\(path): \($0)" } }
        facts += lines(of: "proc/meminfo", beginning: Self.memory)
        facts += Self.folders.map { "\($0): \(FolderListing.readable(root + $0).joined(separator: " "))" }
        if let disk = DiskSpace(at: folder) {
            facts.append("state folder: \(ByteText.of(disk.free)) free of \(ByteText.of(disk.total))")
        }
        return facts.joined(separator: "\n") + "\n"
    }

    private func lines(of path: String, beginning starts: [String]) -> [String] {
        (content(path) ?? "").split(separator: "\n").map(String.init).filter { line in
            starts.contains { line.hasPrefix($0) }
        }
    }

    private func content(_ path: String) -> String? {
        guard let text = try? BoundedFile.text(root + path) else { return nil }
        let plain = text.filter { $0 != "\0" }
        return plain.isEmpty ? nil : String(plain.reversed().drop { $0.isWhitespace }.reversed())
    }
}
