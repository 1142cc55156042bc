// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// How much was written to the card or disk under the state folder since the kernel started, by all
/// programs; reports tell it. Reads small files of sysfs; does not block on a disk.
///
/// Documentation/block/stat.rst: the seventh number of `stat` counts sectors of 512 bytes written,
/// whatever the device's own sectors are.
struct CardGauge: Sendable {
    /// `/sys`, or a tree of the same form.
    var root = "/sys"
    /// A path on that disk.
    let folder: String

    /// Bytes; nil where the folder lies on no block device, or the kernel does not tell.
    var written: Int64? {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let device = "\(root)/dev/block/\(HealthReader.majorMinor(status.st_dev))"
        // A partition lies in the folder of its disk.
        let disk = access(device + "/partition", F_OK) == 0 ? device + "/.." : device
        guard let text = try? BoundedFile.text(disk + "/stat") else { return nil }
        let numbers = text.split(whereSeparator: \.isWhitespace)
        guard numbers.count > 6, let sectors = Int64(numbers[6]) else { return nil }
        let (bytes, isOver) = sectors.multipliedReportingOverflow(by: 512)
        return isOver ? nil : bytes
    }
}
