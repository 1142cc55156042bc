// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs suites of this test program once more as a separate process, with a library loaded first
/// that answers system calls on device files: the code under test and the C libraries below it are
/// the real ones, only the kernel is played.
struct MockedKernel: Sendable {
    /// File in `Tests/mocks`, what it needs from pkg-config, and what must be loaded before it.
    let source: String
    let packages: String
    let preload: String

    /// I2C adapters /dev/i2c-7 to 9, by umockdev.
    static let i2c = MockedKernel(
        source: "mock_i2c.c", packages: "umockdev-1.0 gio-2.0", preload: "libumockdev-preload.so.0")
    /// GPIO chips /dev/gpiochip0 and 1.
    static let gpio = MockedKernel(source: "mock_gpio.c", packages: "", preload: "")

    /// The event device /dev/input/event7.
    static let input = MockedKernel(source: "mock_input.c", packages: "", preload: "")

    /// The PWM channel /sys/class/pwm/pwmchip7/pwm0.
    static let pwm = MockedKernel(source: "mock_pwm.c", packages: "", preload: "")

    /// True in the process that `run` started.
    static var isInside: Bool { getenv("STUDYD_MOCKED_KERNEL") != nil }

    /// True where the library can be built; says so loudly where not.
    var isAvailable: Bool {
        let check = "command -v cc >/dev/null" + (packages.isEmpty ? "" : " && pkg-config --exists \(packages)")
        if shell(check).status == 0 { return true }
        print(
            "SKIPPED: no mocked kernel from \(source): it needs cc and \(packages) (Debian: gcc libumockdev-dev umockdev)"
        )
        return false
    }

    /// Runs the suite of that name; its exit status and all that it printed.
    func run(suite: String) throws -> (status: CInt, output: String) {
        let folder = try ScratchFolder()
        let library = "\(folder.path)/mock.so"
        let flags = packages.isEmpty ? "" : "$(pkg-config --cflags --libs \(packages))"
        let built = shell(
            "cc -Wall -Wextra -shared -fPIC -o \(library) '\(mocks)/\(source)' \(flags) -lpthread -ldl")
        guard built.status == 0 else { return built }
        let me = try me
        return shell(
            "STUDYD_MOCKED_KERNEL=1 LD_PRELOAD=\(preload.isEmpty ? "" : preload + ":")\(library) '\(me)' "
                + "--testing-library swift-testing --no-parallel --filter 'DeviceTests[.]\(suite)'")
    }

    private var mocks: String { "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())/mocks" }

    private var me: String {
        get throws {
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private func shell(_ command: String) -> (status: CInt, output: String) {
        guard let pipe = popen("{ \(command); } 2>&1", "r") else { return (-1, "no shell") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            output += buffer.prefix(count)
        }
        let status = pclose(pipe)
        return (status, String(decoding: output, as: UTF8.self))
    }

    /// A function of the library that was loaded first.
    static func function<Signature>(_ name: String, _: Signature.Type) throws -> Signature {
        guard let symbol = dlsym(nil, name) else { throw MissingFunction(name: name) }
        return unsafeBitCast(symbol, to: Signature.self)
    }

    struct MissingFunction: Error { let name: String }
}
