// SPDX-License-Identifier: Apache-2.0
import Glibc
import WebServer

/// How much is taken: from one device, and before the disk is full. What is not taken stays on the device, which tries again.
struct Quota: Sendable {
    let archive: Archive
    /// The folder whose disk is looked at.
    let directory: String
    /// Bytes of records and files that one device may have here.
    let perDevice: Int64
    /// Bytes that stay free whatever comes, but no more than a twentieth of the disk.
    let free: Int64

    /// Throws 507 (RFC 4918 §11.5) where so many bytes more are too many.
    func admit(_ bytes: Int64, of user: String) async throws {
        let used = try await archive.device(user)?.bytes ?? 0
        guard used <= perDevice, bytes <= perDevice - used else {
            throw HTTPFailure(
                507,
                "this device has \(used) bytes here and may have \(perDevice); make room, or start with a larger --device-quota"
            )
        }
        try checkDisk(for: bytes)
    }

    /// Throws 507 where the disk has too little room for so many bytes.
    func checkDisk(for bytes: Int64 = 0) throws(HTTPFailure) {
        var info = statvfs()
        guard statvfs(directory, &info) == 0 else { return }
        let unit = Int64(clamping: info.f_frsize)
        let left = Int64(clamping: info.f_bavail).multipliedReportingOverflow(by: unit)
        let size = Int64(clamping: info.f_blocks).multipliedReportingOverflow(by: unit)
        guard !left.overflow, !size.overflow, left.partialValue - min(free, size.partialValue / 20) < bytes else {
            return
        }
        throw HTTPFailure(507, "the receiver's disk has \(left.partialValue) bytes left; make room there")
    }
}
