// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import Synchronization

/// What a piece of work costs the thread that does it.
struct Cost: Sendable {
    /// CLOCK_THREAD_CPUTIME_ID, in nanoseconds.
    var processor: Int64 = 0
    /// Calls of malloc and its kin.
    var allocations = 0

    /// The calling thread's so far.
    static var now: Cost {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Cost(
            processor: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec), allocations: Int(allocationCount()))
    }

    static func - (left: Cost, right: Cost) -> Cost {
        Cost(processor: left.processor - right.processor, allocations: left.allocations - right.allocations)
    }
    static func += (left: inout Cost, right: Cost) {
        left.processor += right.processor
        left.allocations += right.allocations
    }
}

/// True when `Tests/mocks/count_malloc.c` is loaded before the C library.
let countsAllocations = dlsym(nil, "studyd_allocations") != nil

private let allocationCount: @convention(c) () -> UInt = {
    guard let function = dlsym(nil, "studyd_allocations") else { return { 0 } }
    return unsafeBitCast(function, to: (@convention(c) () -> UInt).self)
}()

/// A simulated bus that takes its own cost off the account, since a real one costs the kernel's
/// and the wire's time only. Each transaction takes time as on a wire of 400 kHz, where the
/// time is virtual.
final class MeteredBus: I2CBus {
    private let bus: SimulatedI2CBus
    private let clock: VirtualClock?
    private let own = Mutex(Cost())

    init(_ bus: SimulatedI2CBus, _ clock: VirtualClock?) {
        self.bus = bus
        self.clock = clock
    }

    /// What simulating has cost so far.
    var simulation: Cost { own.withLock { $0 } }

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        let before = Cost.now
        defer { finish(before) }
        let bytes = try bus.transaction(address, operations)
        pass(bytes.count + 3)
        return bytes
    }

    func read(
        _ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer
    ) throws(I2CError) {
        let before = Cost.now
        defer { finish(before) }
        try bus.read(address, register: register, into: bytes)
        pass(bytes.count + 3)
    }

    func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError) {
        let before = Cost.now
        defer { finish(before) }
        try bus.write(address, register: register, value)
        pass(3)
    }

    /// Nine bits a byte.
    private func pass(_ bytes: Int) {
        clock?.advance(to: (clock?.monotonic ?? .zero) + .microseconds(Int64(Double(bytes) * 22.5)))
    }
    private func finish(_ before: Cost) { own.withLock { $0 += Cost.now - before } }
}

/// A device and what it costs, without the simulated bus behind it.
final class MeteredDevice: PolledDevice {
    private let device: any PolledDevice
    private let bus: MeteredBus?
    /// Nothing is counted before this.
    private let warm: MonotonicTime
    private(set) var cost = Cost()
    private(set) var serves = 0

    init(_ device: any PolledDevice, bus: MeteredBus? = nil, from warm: MonotonicTime) {
        self.device = device
        self.bus = bus
        self.warm = warm
    }

    var due: MonotonicTime { device.due }
    var ready: MonotonicTime { device.ready }

    func serve(at now: MonotonicTime) {
        let simulated = bus?.simulation ?? Cost()
        let before = Cost.now
        device.serve(at: now)
        let spent = Cost.now - before
        guard now >= warm else { return }
        serves += 1
        cost += spent - ((bus?.simulation ?? Cost()) - simulated)
    }
}

/// A device made of a closure that is called every `period`.
final class Periodic: PolledDevice {
    private(set) var due: MonotonicTime
    private let period: Duration
    private let body: (MonotonicTime) -> Void

    init(every period: Duration, from start: MonotonicTime, _ body: @escaping (MonotonicTime) -> Void) {
        due = start + period
        self.period = period
        self.body = body
    }

    func serve(at now: MonotonicTime) {
        body(due)
        due = due + period
    }
}
