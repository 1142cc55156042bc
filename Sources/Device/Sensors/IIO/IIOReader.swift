// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Brings the samples of a kernel-driven sensor into a ring and accounts for every missing one.
///
/// Every frame is stamped with the kernel's own time of the sample, from which also follows what is
/// missing: the kernel drops samples silently when they are not read in time. Wakes up once per
/// watermark. A device that goes away (its driver is taken off, its adapter unplugged) is looked
/// for again under its name, at first often, then every 5 s, and set up again. Lives on one bus thread,
/// by itself or with others: reading never blocks. Only the counters are for others.
package final class IIOReader: PolledDevice {
    /// When it next wants to be served: once the watermark should be reached.
    package private(set) var due: MonotonicTime
    /// What it has done; any thread may read them.
    package let counters: SensorCounters
    private var source: SourceDescription { sensor.source }

    private let sensor: IIOSensor
    private let ring: FrameRing<VectorFrame>
    private let place: ChipPlace
    private var buffer: IIOBuffer?
    /// A device with a driver that has no buffer.
    private var plain: IIODevice?
    /// The device as it was found last.
    private var device: IIODevice?
    /// Channels of a frame, in its order, then the time.
    private var elements: [IIOScanLayout.Element] = []
    private var time: IIOScanLayout.Element?
    /// The temperature in the scans; nil where it is read from its attribute.
    private var scannedTemperature: IIOScanLayout.Element?
    /// When the temperature is recorded next, and what was read that no frame has carried yet.
    private var temperatureDue = MonotonicTime.zero
    private var centidegrees = VectorFrame.noTemperature
    private var period: Duration
    /// The time of the newest sample that was read or counted as lost.
    private var accountedUntil: MonotonicTime
    /// When the buffer was started.
    private var began: MonotonicTime
    /// No sample came yet, and nothing failed: what is not there is the beginning and no gap.
    private var isBeginning = true
    private var lostBefore: UInt32 = 0
    private var reason: LossReason?
    /// What a gap before the next sample is due to.
    private var cause = LossReason.deviceError
    private var retry = Backoff()

    /// Reads `sensor` from `start` on, when it is first due, into `ring`.
    package init(
        sensor: IIOSensor, ring: FrameRing<VectorFrame>, counters: SensorCounters = SensorCounters(),
        start: MonotonicTime
    ) {
        self.sensor = sensor
        self.ring = ring
        self.counters = counters
        period = .nanoseconds(Int64(1e9 / sensor.source.nominalRate))
        accountedUntil = start
        began = start
        due = start
        place = ChipPlace(
            device: sensor.source.location,
            chip: ChipIdentity(name: sensor.source.device, addresses: [], register: 0, value: 0))
    }

    /// Reads what waits; sets the device up where it is not.
    package func serve(at now: MonotonicTime) {
        if let plain { return sample(plain, at: now) }
        guard let buffer else { return open(at: now) }
        if scannedTemperature == nil { readTemperature(at: now) }
        do throws(SystemError) {
            var newest: VectorFrame?
            let count = try buffer.read { scan in
                if let newest { self.push(newest) }
                newest = self.frame(scan)
            }
            if var newest {
                if time == nil { newest = stamped(newest, count: count, at: now) }
                push(newest)
            }
            count > 0 ? run(at: now) : wait(at: now)
        } catch {
            fail(.device(error), at: now)
        }
    }

    private func open(at now: MonotonicTime) {
        do throws(SystemError) {
            let device = try IIODevice.find(sensor.name, in: sensor.root)
            began = now
            guard sensor.hasBuffer else {
                for attribute in sensor.buffer.attributes { try device.folder.write(attribute.name, attribute.value) }
                (plain, self.device) = (device, device)
                counters.countSetUp()
                due = now
                return
            }
            self.device = device
            // Some drivers answer only now (`iio_device_claim_direct_mode`).
            if sensor.thermometer?.isScanned == false { readTemperature(at: now, isForced: true) }
            let buffer = try IIOBuffer(device, sensor.buffer)
            elements = sensor.axes.compactMap { buffer.layout.element($0) }
            scannedTemperature = sensor.thermometer?.isScanned == true ? buffer.layout.element("temp") : nil
            time = buffer.layout.element("timestamp")
            self.buffer = buffer
            counters.countSetUp()
            due = now + period * sensor.watermark
            cause = .deviceError
        } catch {
            fail(.device(error), at: now)
        }
    }

    /// One sample of a device without a buffer; those due since the last one are missing.
    private func sample(_ device: IIODevice, at now: MonotonicTime) {
        do throws(SystemError) {
            var values = SIMD8<Int32>()
            for (index, channel) in sensor.axes.enumerated() { values[index] = try device.raw(channel) }
            readTemperature(at: now)
            _ = countGap(before: now)
            accountedUntil = now
            var frame = VectorFrame(
                values: values, count: UInt8(sensor.axes.count), time: now, isStamped: true)
            frame.lateBy = unknownAge
            push(frame)
            retry.reset()
            due = max(due + period, now)
            counters.endTrouble()
        } catch {
            fail(.device(error), at: now)
        }
    }

    /// Raw counts and, where the scan has it, the time of the sample with what is
    /// missing before it.
    private func frame(_ scan: UnsafeRawBufferPointer) -> VectorFrame {
        var values = SIMD8<Int32>()
        for index in elements.indices {
            values[index] = Int32(truncatingIfNeeded: elements[index].type.value(scan, at: elements[index].offset))
        }
        var frame = VectorFrame(values: values, count: UInt8(elements.count))
        if let element = scannedTemperature {
            let counts = Double(element.type.value(scan, at: element.offset))
            keep(sensor.thermometer?.degrees(counts), since: accountedUntil)
        }
        guard let time else { return frame }
        frame.time = MonotonicTime(nanoseconds: time.type.value(scan, at: time.offset))
        frame.isStamped = true
        account(for: frame.time)
        return frame
    }

    /// Now and then; a driver that does not answer now may do so later.
    private func readTemperature(at now: MonotonicTime, isForced: Bool = false) {
        guard isForced || now >= temperatureDue, let thermometer = sensor.thermometer, let device else { return }
        guard let degrees = try? device.temperature(thermometer) else {
            temperatureDue = now + Self.temperatureInterval
            return
        }
        keep(degrees, since: isForced ? max(now, temperatureDue) : now)
    }

    /// A reading of that moment, for the next frame, unless another is hardly older.
    private func keep(_ degrees: Double?, since moment: MonotonicTime) {
        guard moment >= temperatureDue, let degrees else { return }
        temperatureDue = moment + Self.temperatureInterval
        centidegrees = Int16((degrees * 100).rounded())
    }

    /// As with the chips that are driven here.
    private static let temperatureInterval = Duration.seconds(60)

    /// Without times in the scans, the newest has that of the read, and only a long silence shows
    /// what is missing.
    private func stamped(_ frame: VectorFrame, count: Int, at now: MonotonicTime) -> VectorFrame {
        var frame = frame
        frame.time = now
        frame.isStamped = true
        frame.lateBy = unknownAge
        let missing = (now - accountedUntil).seconds / period.seconds - Double(count)
        if missing > Double(sensor.buffer.length / 2) { lose(Int(missing), cause) }
        accountedUntil = now
        cause = .chipOverrun
        return frame
    }

    /// What is read without a time may be a whole period old, in microseconds.
    private var unknownAge: UInt32 { UInt32(clamping: max(1, period.nanoseconds / 1000)) }

    /// Anything near one period since the sample before tells the true rate.
    private func account(for moment: MonotonicTime) {
        let periods = countGap(before: moment)
        if (0.8...1.2).contains(periods) { period = (period * 63 + (moment - accountedUntil)) / 64 }
        if moment > accountedUntil { accountedUntil = moment }
    }

    /// Periods since the sample before; more than one and a half are a gap, unless that is the first.
    private func countGap(before moment: MonotonicTime) -> Double {
        let periods = (moment - accountedUntil).seconds / period.seconds
        if periods > 1.5, !isBeginning { lose(Int((periods - 1).rounded()), cause) }
        (cause, isBeginning) = (.chipOverrun, false)
        return periods
    }

    private func push(_ frame: VectorFrame) {
        var frame = frame
        frame.lostBefore = lostBefore
        frame.reason = reason?.rawValue ?? 0
        frame.centidegrees = centidegrees
        if ring.push(frame) {
            centidegrees = VectorFrame.noTemperature
            counters.countRead()
            lostBefore = 0
            reason = nil
        } else {
            lose(1, .ringFull)
        }
    }

    private func lose(_ count: Int, _ reason: LossReason) {
        counters.countLost(count, reason)
        lostBefore = UInt32(clamping: Int(lostBefore) + count)
        self.reason = self.reason ?? reason
    }

    private func run(at now: MonotonicTime) {
        retry.reset()
        due = now + period * sensor.watermark
        counters.endTrouble()
    }

    /// Nothing came: a little later, and after long enough from the beginning.
    private func wait(at now: MonotonicTime) {
        let patience = period * (2 * (sensor.watermark + 2)) + .milliseconds(500)
        guard now - max(accountedUntil, began) > patience else {
            due = now + period
            return
        }
        fail(.stalled, at: now)
    }

    private func fail(_ fault: SensorFault.Cause, at now: MonotonicTime) {
        counters.countError(SensorFault(place: place, cause: fault), since: accountedUntil)
        buffer = nil
        plain = nil
        (cause, isBeginning) = (.deviceError, false)
        due = now + retry.next()
    }
}
