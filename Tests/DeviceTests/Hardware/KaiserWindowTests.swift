// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct KaiserWindowTests {
    /// Python: `numpy.kaiser(9, beta)[4:]` times `numpy.i0(beta)`.
    @Test(
        arguments: [
            (0.0, [1.0, 1.0, 1.0, 1.0, 1.0]),
            (8.6, [750.4611595631659, 580.7288945821332, 255.4521926043704, 50.635174797878214, 1.0]),
            (9.0, [1093.5883545113745, 835.5464655074701, 352.77883080283857, 64.40989129088273, 1.0]),
        ] as [(Double, [Double])])
    func weightsAreNumpys(beta: Double, weights: [Double]) {
        for (index, expected) in weights.enumerated() {
            let weight = KaiserWindow.weight(beta: beta, at: Double(index) / 4)
            #expect(abs(weight / expected - 1) < 1e-12, "\(index): \(weight)")
            #expect(weight == KaiserWindow.weight(beta: beta, at: -Double(index) / 4))
        }
    }
}
