// SPDX-License-Identifier: Apache-2.0
import Base
import CI2C
import CLinux
import Synchronization
import SystemKit

/// An I2C adapter of the kernel, `/dev/i2c-N`: combined transfers by I2C_RDWR, SMBus calls where it has no
/// plain I2C. `BoardDevices` opens one for each bus of the board file.
///
/// An adapter on USB may be unplugged. The kernel then waits for us to close its device file before
/// it lets the adapter go, so that is done at the first error after the file has left `/dev`; from
/// then on each transaction tries to open the path again, and throws `busVanished` where it cannot.
/// Devices ask ever more rarely while they fail, so that costs nothing.
package final class LinuxI2CBus: I2CBus {
    /// The kernel's own limit of one message (I2C_RDWR).
    private static let mostBytes = 8192
    /// The kernel's own limit of messages in one transfer.
    private static let mostMessages = 42

    package let path: String
    /// Always the same number: while the adapter is gone it is open on /dev/null.
    private let descriptor: Descriptor
    private let timeout: Duration
    private let adapter: Mutex<Adapter>
    /// One thread at a time opens the path again: that of the bus, or the one that polls absent parts
    /// (`PolledPart`). Taken before `adapter`, never within it.
    private let opening = Mutex(Absence())

    /// What is known of an adapter that is gone.
    private struct Absence {
        /// Why the last attempt to open it failed; nil before one, and once it is back.
        var fault: SystemError?
        /// How often it was gone so far.
        var count = 0
        /// When `poll` tries to open it next.
        var backoff = PollBackoff()
        var wakeOnLoss: (@Sendable () -> Void)?
    }

    /// What is known of the adapter since it was last opened.
    private struct Adapter {
        var functions: I2CFunctions
        var isGone = false
        /// One bit for each address of which `claim` knows that no driver of the kernel owns it.
        var free = SIMD2<UInt64>()
    }

    /// Opens an adapter and asks what it can do. A transfer that a stuck line holds up ends after
    /// `timeout` (in steps of 10 ms, for all users of the adapter; some drivers have fixed times);
    /// a lost arbitration is tried again once.
    package init(path: String, timeout: Duration = .milliseconds(500)) throws(SystemError) {
        descriptor = try Descriptor(opening: path, flags: O_RDWR)
        adapter = Mutex(Adapter(functions: try Self.prepare(descriptor.rawValue, path, timeout)))
        self.path = path
        self.timeout = timeout
    }

    /// The same of an adapter that may be missing: it is then opened as soon as it can be, and
    /// each transaction until then throws `busVanished`. Throws only where the kernel has no
    /// descriptors left.
    package init(
        awaiting path: String, timeout: Duration = .milliseconds(500), at now: MonotonicTime
    ) throws(SystemError) {
        descriptor = try Descriptor(opening: "/dev/null", flags: O_RDWR)
        // What the adapter can do is not known yet: a read of any length is asked of it,
        // and finds it gone.
        adapter = Mutex(Adapter(functions: .all, isGone: true))
        self.path = path
        self.timeout = timeout
        opening.withLock { $0.backoff = PollBackoff(due: now) }
        poll(at: now)
        if adapter.withLock({ $0.isGone }) { opening.withLock { $0.count = 1 } }
    }

    /// Sets timeout and retries of an adapter just opened; returns what it can do.
    private static func prepare(
        _ descriptor: CInt, _ path: String, _ timeout: Duration
    ) throws(SystemError) -> I2CFunctions {
        var functions: UInt = 0
        guard clinux_i2c_functions(descriptor, &functions) == 0 else {
            throw SystemError.last("ask for I2C functions of", path)
        }
        // An unplugged adapter reports no functions as long as its file is still there; one that
        // can do nothing is useless anyway.
        guard functions != 0 else {
            throw SystemError(code: ENODEV, operation: "ask for I2C functions of", place: path)
        }
        _ = clinux_i2c_patience(descriptor, UInt(clamping: max(1, timeout.milliseconds / 10)), 1)
        return I2CFunctions(mask: functions)
    }

    /// 8192 bytes with plain I2C, 32 with SMBus block reads, 2 or 1 with less.
    package var longestRead: Int {
        let functions = adapter.withLock { $0.functions }
        return functions.has(I2C_FUNC_I2C) ? Self.mostBytes : functions.longestSMBusRead
    }

    package convenience init(number: Int) throws(SystemError) { try self.init(path: "/dev/i2c-\(number)") }

    /// Blocks until the transfer is over. Throws `unsupported` for 10-bit addresses, beyond the
    /// kernel's limits, and for what SMBus calls cannot express where the adapter has no others;
    /// `system(EBUSY)` for an address that a driver of the kernel owns, which is never touched.
    /// SMBus calls join only a write and the read that follows it.
    package func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard address < 0x80 else { throw .unsupported("10-bit address \(address)") }
        if adapter.withLock({ $0.isGone }) { try comeBack() }
        do throws(I2CError) {
            try claim(address)
            let functions = adapter.withLock { $0.functions }
            if functions.has(I2C_FUNC_I2C) { return try transfer(address, operations) }
            let calls = SMBusCalls(descriptor: descriptor.rawValue, functions: functions, path: path, address: address)
            return try calls.run(operations)
        } catch {
            throw closeIfGone(after: error, address)
        }
    }

    /// Throws EBUSY where a driver of the kernel owns the address: I2C_RDWR does not check that, I2C_SLAVE does.
    /// Checking once per address is enough.
    private func claim(_ address: UInt8) throws(I2CError) {
        let (word, bit) = (Int(address) / 64, UInt64(1) << UInt64(address % 64))
        if adapter.withLock({ $0.free[word] & bit != 0 }) { return }
        try Self.check(clinux_i2c_address(descriptor.rawValue, UInt(address)), address)
        adapter.withLock { $0.free[word] |= bit }
    }

    /// True when a driver of the kernel is bound to the address: `i2cdetect` prints it as `UU`.
    ///
    /// I2C_RDWR does not ask and would talk to the chip behind its driver's back; I2C_SLAVE does
    /// ask (EBUSY). It is done on a separate descriptor, so that the address of no other transfer
    /// changes. Sends nothing. Any thread.
    package func isTakenByKernel(_ address: UInt8) -> Bool {
        guard let adapter = try? Descriptor(opening: path, flags: O_RDWR) else { return false }
        return clinux_i2c_address(adapter.rawValue, UInt(address)) < 0 && SystemError.last("").code == EBUSY
    }

    /// Opens the path again, under the same descriptor number.
    private func comeBack() throws(I2CError) {
        try opening.withLock { absence throws(I2CError) in
            guard adapter.withLock({ $0.isGone }) else { return }
            do throws(SystemError) { try reopen() } catch {
                absence.fault = error
                throw .busVanished
            }
            absence.fault = nil
            absence.backoff.reset()
        }
    }

    private func reopen() throws(SystemError) {
        let returned = try Descriptor(opening: path, flags: O_RDWR)
        let functions = try Self.prepare(returned.rawValue, path, timeout)
        guard clinux_replace(descriptor.rawValue, returned.rawValue) >= 0 else {
            throw SystemError.last("reopen", path)
        }
        adapter.withLock { $0 = Adapter(functions: functions) }
    }

    /// Checks after a failed transaction whether the adapter is still there, closes it where it is gone, and returns
    /// the error to throw. The kernel reports ENODEV for an adapter that is gone, but its test driver i2c-stub also
    /// for an absent chip: where the path can be opened again at once, the chip was meant.
    private func closeIfGone(after error: I2CError, _ address: UInt8) -> I2CError {
        var error = error
        // An unplugged adapter may refuse the transfer instead; `prepare` tells.
        if case .unsupported = error, (try? Self.prepare(descriptor.rawValue, path, timeout)) == nil {
            error = .busVanished
        }
        guard error == .busVanished || !isInPlace else { return error }
        if let nothing = try? Descriptor(opening: "/dev/null", flags: O_RDWR) {
            _ = clinux_replace(descriptor.rawValue, nothing.rawValue)
        }
        adapter.withLock { $0.isGone = true }
        if error == .busVanished, (try? comeBack()) != nil { return .noAcknowledge(address: address) }
        let wake = opening.withLock { absence in
            absence.count += 1
            absence.backoff = PollBackoff(due: .zero)
            return absence.wakeOnLoss
        }
        wake?()
        return .busVanished
    }

    /// The path still leads to what was opened.
    private var isInPlace: Bool {
        var (there, open) = (stat(), stat())
        return stat(path, &there) == 0 && fstat(descriptor.rawValue, &open) == 0
            && there.st_dev == open.st_dev && there.st_ino == open.st_ino
    }

    /// Like `transaction`, but with plain I2C the kernel writes straight into `bytes`.
    package func read(_ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer) throws(I2CError) {
        guard isPlain(address), bytes.count <= Self.mostBytes else {
            return bytes.copyBytes(from: try transaction(address, [.write([register]), .read(bytes.count)]))
        }
        try direct(address) { clinux_i2c_read($0, UInt16(address), register, bytes.baseAddress, UInt16(bytes.count)) }
    }

    /// Like `transaction`, but with plain I2C it allocates no array.
    package func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError) {
        guard isPlain(address) else {
            _ = try transaction(address, [.write([register, value])])
            return
        }
        try direct(address) { clinux_i2c_write($0, UInt16(address), register, value) }
    }

    /// Whether I2C_RDWR can be used; `transaction` handles, or throws for, all other cases.
    private func isPlain(_ address: UInt8) -> Bool {
        address < 0x80 && adapter.withLock { !$0.isGone && $0.functions.has(I2C_FUNC_I2C) }
    }

    private func direct(_ address: UInt8, _ call: (CInt) -> CInt) throws(I2CError) {
        do throws(I2CError) {
            try claim(address)
            try Self.check(call(descriptor.rawValue), address)
        } catch {
            throw closeIfGone(after: error, address)
        }
    }

    /// One I2C_RDWR; all bytes lie in one buffer, to which the messages point.
    private func transfer(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard operations.count <= Self.mostMessages, operations.allSatisfy({ $0.length <= Self.mostBytes }) else {
            throw .unsupported("a transfer of more than \(Self.mostMessages) parts or \(Self.mostBytes) bytes a part")
        }
        var bytes = operations.flatMap(\.bytes)
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(I2CError) in
            var offset = 0
            var messages = operations.map { operation in
                defer { offset += operation.length }
                return i2c_msg(
                    addr: UInt16(address), flags: operation.isRead ? UInt16(I2C_M_RD) : 0,
                    len: UInt16(operation.length), buf: buffer.baseAddress.map { $0 + offset })
            }
            try Self.check(clinux_i2c_transfer(descriptor.rawValue, &messages, UInt32(messages.count)), address)
        }
        var offset = 0
        var result: [UInt8] = []
        for operation in operations {
            if operation.isRead { result += bytes[offset..<offset + operation.length] }
            offset += operation.length
        }
        return result
    }

    /// Throws what `errno` says where a call that has just returned failed.
    static func check(_ result: CInt, _ address: UInt8) throws(I2CError) {
        if result < 0 { throw error(SystemError.last("").code, address: address) }
    }

    /// What an errno of the I2C core means (Documentation/i2c/fault-codes.rst of the kernel).
    static func error(_ code: CInt, address: UInt8) -> I2CError {
        switch code {
        case ENXIO, EREMOTEIO: .noAcknowledge(address: address)
        case EAGAIN: .arbitrationLost(address: address)
        case ETIMEDOUT: .timeout(address: address)
        case ENODEV, ESHUTDOWN: .busVanished
        case EOPNOTSUPP: .unsupported("the adapter refused this transfer")
        default: .system(errno: code, address: address)
        }
    }
}

/// An adapter that is missing, at the start or later, is looked for even while the bus is not used.
extension LinuxI2CBus: PolledPart {
    /// Why the adapter cannot be opened, with the remedy; nil while it is there.
    package var fault: Explanation? {
        guard adapter.withLock({ $0.isGone }) else { return nil }
        let cause = opening.withLock { $0.fault } ?? SystemError(code: ENODEV, operation: "open", place: path)
        guard cause.code == ENOENT else { return cause.explanation }
        let own = cause.explanation
        return Explanation(
            place: own.place, cause: own.cause,
            remedy: (own.remedy ?? "") + " (dtparam=i2c_arm=on in config.txt, and the module i2c-dev)")
    }
    package var absences: Int { opening.withLock { $0.count } }
    /// When it is looked for; nil while it is there.
    package var due: MonotonicTime? {
        guard adapter.withLock({ $0.isGone }) else { return nil }
        return opening.withLock { $0.backoff.due }
    }

    /// Opens the adapter if that is due; true when that changed what is known of it.
    @discardableResult package func poll(at now: MonotonicTime) -> Bool {
        guard let due, due <= now else { return false }
        let before = opening.withLock { $0.fault }
        do throws(I2CError) {
            try comeBack()
            return true
        } catch {
            return opening.withLock { absence in
                absence.backoff.recordFailure(at: now)
                return before?.code != absence.fault?.code
            }
        }
    }

    package func onLoss(_ wake: @escaping @Sendable () -> Void) { opening.withLock { $0.wakeOnLoss = wake } }
}

extension I2COperation {
    fileprivate var isRead: Bool {
        if case .read = self { true } else { false }
    }
    fileprivate var length: Int { bytes.count }
    fileprivate var bytes: [UInt8] {
        switch self {
        case .write(let bytes): bytes
        case .read(let count): [UInt8](repeating: 0, count: max(0, count))
        }
    }
}
