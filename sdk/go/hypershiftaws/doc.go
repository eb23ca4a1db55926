// The AWS resources of HyperShift's hosted clusters, and their objects in the management cluster.
package hypershiftaws
