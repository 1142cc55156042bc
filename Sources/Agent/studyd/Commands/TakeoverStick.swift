// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A disk (a USB stick) that `studyd takeover` mounts for as long as its folder is read.
final class TakeoverStick {
    private static let place = "/run/studyd-stick"
    private var isMounted = false

    /// The folder `studyd` on that disk; nil where there is no such disk, or no folder on it.
    func mount(_ device: String) -> String? {
        guard access(device, F_OK) == 0 else { return nil }
        mkdir(Self.place, 0o700)
        let options = "rw,nosuid,nodev,noexec,sync"
        guard TakeoverCommand.runProgram(["mount", "-o", options, device, Self.place]) == nil else { return nil }
        isMounted = true
        let folder = Self.place + "/studyd"
        if access(folder, F_OK) == 0 { return folder }
        unmount()
        return nil
    }

    func unmount() {
        if isMounted { _ = TakeoverCommand.runProgram(["umount", Self.place]) }
        isMounted = false
    }
}
