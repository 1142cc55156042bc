// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

@Suite struct SystemErrorTests {
    /// What the codes mean: errno(3), pthread_create(3), fork(2), flock(2).
    @Test(
        arguments: [
            (ENOENT, "open", "/dev/i2c-1", "driver or overlay"), (ENOENT, "open", "/sys/class/pwm/pwmchip0", "overlay"),
            (ENOENT, "open", "/var/lib/studyd/speech/a.wav", nil), (ENOENT, "start", "espeak-ng", nil),
            (ENODEV, "find", "a line named LED", "driver or overlay"), (ENXIO, "open", "/dev/ttyAMA0", "connected"),
            (EBUSY, "request lines of", "/dev/gpiochip0", "another program"),
            (EWOULDBLOCK, "lock", "/dev/ttyS0", "another program"),
            (EAGAIN, "start thread", "studyd-record", "TasksMax="), (EAGAIN, "start", "espeak-ng", "TasksMax="),
            (EAGAIN, "read", "the socket", nil), (EACCES, "open", "/dev/i2c-1", "group i2c"),
            (EACCES, "open", "/etc/studyd/key", "give the user"), (EPERM, "set the wall clock", "", nil),
            (EIO, "read", "/dev/i2c-1", nil),
        ] as [(CInt, String, String, String?)])
    func theRemedyIsOfWhatWasTriedAndWhere(code: CInt, operation: String, place: String, contains: String?) {
        let remedy = SystemError(code: code, operation: operation, place: place).explanation.remedy
        #expect(contains.map { remedy?.contains($0) == true } ?? (remedy == nil), "\(remedy ?? "none")")
    }

    @Test func aMissingFileIsNoMatterOfDrivers() {
        let error = #expect(throws: SystemError.self) {
            _ = try Descriptor(opening: "/nowhere/at/all", flags: O_RDONLY)
        }
        #expect(error.map { "\($0)" } == "open /nowhere/at/all: No such file or directory")
    }
}
